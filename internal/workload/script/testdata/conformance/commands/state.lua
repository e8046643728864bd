-- run: work --threads=2
-- run: prepare
-- sort
-- Globals of the main state are not those of the threads.
counter = (counter or 0) + 1
sysbench.cmdline.commands = {work = {function() io.write("counter " .. counter .. "\n") counter = 10 end, sysbench.cmdline.PARALLEL_COMMAND}}
function prepare() io.write("main " .. counter .. " " .. sysbench.tid .. "\n") end
io.write("top level " .. sysbench.tid .. "\n")
