-- stdin: -
-- stdin: - run
-- stdin: --bogus=1
-- stdin:
print("from stdin", sysbench.cmdline.command, sysbench.cmdline.script_path, test)
function event() print("never") end
