-- run: run --time=1 --report-interval=1
-- decimals
-- vary
ffi.cdef("int usleep(unsigned int);")
function event() ffi.C.usleep(1500000) end
sysbench.hooks.report_intermediate = sysbench.report_json
sysbench.hooks.report_cumulative = sysbench.report_json
