-- run: run
sysbench.cmdline.options = {a = {nil, 5}}
function event() end
