-- run: run --events=1 --time=0
function init() print("init") end
function thread_init(id) print("thread_init") end
function event(id) print("event") end
function thread_done(id) print("thread_done") end
function done() print("done") end
