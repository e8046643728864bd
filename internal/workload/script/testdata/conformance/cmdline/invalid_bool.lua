-- run: run --flag=maybe
-- run: run --flag=1 --events=1 --verbosity=0 --time=0
-- run: run --flag=false --events=1 --verbosity=0 --time=0
-- run: run --flag=On
sysbench.cmdline.options = {flag = {"flag", false}}
function event() print(sysbench.opt.flag) end
