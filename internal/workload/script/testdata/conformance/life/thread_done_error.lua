-- run: run --events=1 --time=0
function event() end
function thread_done() error("thread_done fails") end
