-- run: run --n=1.5
-- run: run --n=5x
-- run: run --n=99999999999
-- run: run --n=-7 --events=1 --time=0 --verbosity=0
sysbench.cmdline.options = {n = {"int", 1, sysbench.cmdline.ARG_INT}}
function event() print(sysbench.opt.n) end
