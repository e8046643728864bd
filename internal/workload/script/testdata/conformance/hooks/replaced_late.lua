-- run: run --events=1 --time=0
-- Whether hooks exist is decided after loading.
function event() end
function init() sysbench.hooks.report_cumulative = function() print("never") end end
