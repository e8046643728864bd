-- run: run --events=2 --time=0
local original = thread_run
function thread_run(id) print("before") local r = original(id) print("after", r) return r end
function event(id) print("event", id) end
