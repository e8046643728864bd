-- run:
local c = sysbench.cmdline
print(c.ARG_NULL, c.ARG_BOOL, c.ARG_INT, c.ARG_SIZE, c.ARG_DOUBLE, c.ARG_STRING, c.ARG_LIST, c.ARG_FILE, c.ARG_MAX, c.PARALLEL_COMMAND)
print(sysbench.version, sysbench.version_string, sysbench.error.NONE, sysbench.error.RESTART_EVENT, next(sysbench.hooks))
print(c.options, c.commands, type(c.print_test_options))
