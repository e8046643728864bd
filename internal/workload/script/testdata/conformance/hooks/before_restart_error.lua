-- run: run --events=1 --time=0
function event() error({errcode = 1}) end
function sysbench.hooks.before_restart_event(e) error("the hook fails") end
