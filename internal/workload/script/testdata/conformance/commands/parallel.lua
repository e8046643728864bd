-- run: work --threads=1
-- run: work --threads=3
-- sort
sysbench.cmdline.commands = {work = {function() io.write("work " .. sysbench.tid .. " of " .. sysbench.opt.threads .. "\n") end, sysbench.cmdline.PARALLEL_COMMAND}}
function init() print("init is not called") end
function thread_init() print("neither is thread_init") end
