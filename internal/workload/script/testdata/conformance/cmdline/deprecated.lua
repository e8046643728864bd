-- cmd: --test=./deprecated.lua --num-threads=2 --max-requests=3 --max-time=5 run
-- sort
-- vary
function event() end
function thread_init() io.write(table.concat({threads, events, time, num_threads, max_requests, max_time}, " ") .. "\n") end
