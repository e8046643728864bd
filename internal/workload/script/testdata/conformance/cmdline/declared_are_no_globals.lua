-- run: run --events=1 --time=0 --verbosity=0 --mine=5
sysbench.cmdline.options = {mine = {"mine", 1}}
function event() print(mine, threads, sysbench.opt.mine, sysbench.opt.threads) end
