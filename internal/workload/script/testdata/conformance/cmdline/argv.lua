-- run: run --events=1 --time=0 --verbosity=0 --x=1
for i = 1, #sysbench.cmdline.argv do print(i, sysbench.cmdline.argv[i]) end
print(sysbench.cmdline.argv[0]:match("[^/]+$"), sysbench.cmdline.command, sysbench.cmdline.script_path, test, sysbench.opt)
os.exit(0)
