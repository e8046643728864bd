-- run: work --threads=1
-- run: work --threads=3
-- sort
sysbench.cmdline.commands = {work = {function() print("work", sysbench.tid, sysbench.opt.threads) end, sysbench.cmdline.PARALLEL_COMMAND}}
function init() print("init is not called") end
function thread_init() print("neither is thread_init") end
