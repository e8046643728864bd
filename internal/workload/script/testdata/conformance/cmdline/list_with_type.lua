-- run: run
sysbench.cmdline.options = {a = {"list", {"x"}, sysbench.cmdline.ARG_LIST}}
function event() end
