-- run: run
sysbench.cmdline.options = {a = {"int", 1.5, sysbench.cmdline.ARG_INT}}
function event() end
