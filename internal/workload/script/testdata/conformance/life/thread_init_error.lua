-- run: run --threads=1
function thread_init() error("thread_init fails") end
function event() end
function thread_done() print("thread_done is not called") end
function done() print("done is not called") end
