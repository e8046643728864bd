-- run: work --threads=1
-- run: work --threads=2
-- run: no --threads=2
-- sort
sysbench.cmdline.commands = {
   work = {function() error("thread fails", 0) end, sysbench.cmdline.PARALLEL_COMMAND},
   no = {function() return false end, sysbench.cmdline.PARALLEL_COMMAND},
}
