-- cmd: --test=./deprecated.lua --num-threads=2 --max-requests=3 --max-time=5 run
-- sort
function event() end
function thread_init() print(threads, events, time, num_threads, max_requests, max_time) end
