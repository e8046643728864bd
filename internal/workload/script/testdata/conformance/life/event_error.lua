-- run: run --time=0 --events=5
function event() local t t.x = 1 end
function thread_done() print("thread_done is not called") end
function done() print("done is called") end
