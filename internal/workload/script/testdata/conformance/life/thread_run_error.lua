-- run: run --events=3 --time=0
function thread_run(id) error("thread_run fails") end
function event() end
function thread_done() print("thread_done") end
