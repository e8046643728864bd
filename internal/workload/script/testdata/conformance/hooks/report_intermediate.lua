-- run: run --time=2 --events=0 --report-interval=1 --threads=2
-- run: run --time=2 --report-interval=1 --threads=2 --rate=50 --percentile=0
-- vary
ffi.cdef("int usleep(unsigned int);")
function event() ffi.C.usleep(10000) end
local n = 0
function sysbench.hooks.report_intermediate(stat)
   n = n + 1
   if n > 1 then return end
   local names = {} for k, v in pairs(stat) do names[#names + 1] = k end table.sort(names)
   print(sysbench.tid, table.concat(names, " "))
   print(stat.threads_running, stat.events > 0, stat.time_interval > 0.9 and stat.time_interval < 1.9, stat.time_total > 0.9, stat.reads, stat.writes, stat.other, stat.errors, stat.reconnects, type(stat.queue_length), type(stat.concurrency), type(stat.latency_pct))
end
