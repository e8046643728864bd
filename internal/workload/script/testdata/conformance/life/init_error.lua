-- run: run
function init() error("init fails") end
function event() end
function done() print("done is not called") end
