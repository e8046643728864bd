print("loaded", ..., sysbench.cmdline.script_path)
function event() end
