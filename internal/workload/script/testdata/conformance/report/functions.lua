-- run: run --events=1 --time=0 --percentile=99
function event() end
local stat = {threads_running = 4, time_interval = 2, time_total = 10, latency_pct = 0.01234, events = 200, reads = 1400, writes = 400, other = 200, errors = 4, reconnects = 2}
function thread_init()
   sysbench.report_default(stat)
   sysbench.report_csv(stat)
end
function sysbench.hooks.report_cumulative() sysbench.report_json(stat) sysbench.report_json(stat) end
