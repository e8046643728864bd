-- cmd: --test=./common_beside.lua --max-requests=1 --max-time=0 --oltp-tables-count=3 --verbosity=0 run
local dir = string.match(test, "(.*/)")
if dir then dofile(dir .. "own.lua") else require("own") end
function thread_init(id) set_vars() end
function event(id) print(dir, oltp_tables_count, type(oltp_tables_count)) end
