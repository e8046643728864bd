-- run: run --events=1 --time=0
function event() end
function done() error("done fails") end
