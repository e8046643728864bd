-- run:
-- run: --some-option=3
print(sysbench.cmdline.command, sysbench.cmdline.script_path, sysbench.opt, sysbench.tid, thread_id)
function event() print("never") end
