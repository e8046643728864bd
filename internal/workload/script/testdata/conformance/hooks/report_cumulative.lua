-- run: run --events=4 --time=0 $DB
function thread_init() con = sysbench.sql.driver():connect() con:query("CREATE TEMPORARY TABLE x (a INT)") end
function event() con:query("SELECT 1") con:query("INSERT INTO x VALUES (1)") con:query("SET @a = 1") end
function sysbench.hooks.report_cumulative(stat)
   print("tid", sysbench.tid, "threads_running", stat.threads_running, "events", stat.events, "reads", stat.reads, "writes", stat.writes, "other", stat.other, "errors", stat.errors, "reconnects", stat.reconnects)
   print(stat.time_total > 0, stat.time_interval > 0, math.abs(stat.time_interval - stat.time_total) < 1, stat.latency_pct > 0, stat.latency_min > 0, stat.latency_max >= stat.latency_avg, stat.latency_sum > 0, stat.latency_sum < 5, stat.queue_length, stat.concurrency)
   local names = {} for k in pairs(stat) do names[#names + 1] = k end table.sort(names) print(table.concat(names, " "))
end
