-- run: run --events=1 --time=0
function event() end
sysbench.hooks.report_cumulative = "not a function"
