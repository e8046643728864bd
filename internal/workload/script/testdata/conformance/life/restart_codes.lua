-- run: run --events=2 --time=0
function event() error({errcode = sysbench.error.NONE}) end
