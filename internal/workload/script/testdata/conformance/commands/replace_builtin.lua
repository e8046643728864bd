-- run: run
-- run: help
-- run: prepare
-- run: cleanup
local function f(name) return {function() print("own " .. name) end} end
sysbench.cmdline.commands = {run = f("run"), help = f("help"), prepare = f("prepare"), cleanup = f("cleanup")}
function prepare() print("the global prepare") end
function event() print("never") end
