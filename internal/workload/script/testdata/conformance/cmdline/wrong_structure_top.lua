-- run: run
sysbench.cmdline.options = 5
function event() end
