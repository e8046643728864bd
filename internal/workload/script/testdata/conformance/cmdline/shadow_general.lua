-- run: run --threads=2 --events=1 --time=0
-- sort
sysbench.cmdline.options = {threads = {"t", 3}}
function event() print(sysbench.opt.threads) end
