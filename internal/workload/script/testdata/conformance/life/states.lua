-- run: run --events=3 --time=0 --verbosity=0
-- The top level runs once for each state; states share nothing.
n = 0
print("top level", sysbench.tid, sysbench.opt)
function init() n = n + 100 sysbench.opt.threads = 77 print("init", n) end
function thread_init() print("thread_init", n, sysbench.opt.threads) end
function event() n = n + 1 end
function thread_done() print("thread_done", n) end
function done() print("done", n, sysbench.opt.threads) end
