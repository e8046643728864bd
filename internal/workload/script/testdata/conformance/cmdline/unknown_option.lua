-- run: run --bogus=1
-- run: help --bogus
-- run: --bogus
sysbench.cmdline.options = {known = {"known", 1}}
print("top")
function event() end
