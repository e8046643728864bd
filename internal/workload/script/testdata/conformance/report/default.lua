-- run: run --events=3 --time=0
-- decimals
function event() end
sysbench.hooks.report_cumulative = sysbench.report_default
