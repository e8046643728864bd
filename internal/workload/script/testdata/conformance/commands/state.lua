-- run: work --threads=2
-- run: prepare
-- Globals of the main state are not those of the threads.
-- sort
counter = (counter or 0) + 1
sysbench.cmdline.commands = {work = {function() print("counter", counter) counter = 10 end, sysbench.cmdline.PARALLEL_COMMAND}}
function prepare() print("main", counter, sysbench.tid) end
print("top level", sysbench.tid)
