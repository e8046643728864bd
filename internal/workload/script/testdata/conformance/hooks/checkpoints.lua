-- run: run --time=2 --report-checkpoints=1
-- vary
ffi.cdef("int usleep(unsigned int);")
function event() ffi.C.usleep(10000) end
local n = 0
function sysbench.hooks.report_cumulative(stat) n = n + 1 print("cumulative", sysbench.tid, stat.threads_running, n) end
