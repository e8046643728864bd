-- run: run
sysbench.cmdline.options = {a = 5}
function event() end
