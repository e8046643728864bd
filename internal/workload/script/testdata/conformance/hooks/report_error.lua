-- run: run --events=1 --time=0
function event() end
function sysbench.hooks.report_cumulative(stat) error("report fails") end
