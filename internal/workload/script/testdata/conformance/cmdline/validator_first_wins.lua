-- run: run --b=1
-- run: run --a=1
sysbench.cmdline.options = {
   a = {"first", "d", sysbench.cmdline.ARG_STRING, function(n, v) print("validator of a", ffi.string(n)) return false end},
   b = {"second", "d", sysbench.cmdline.ARG_STRING, function(n, v) print("validator of b", ffi.string(n)) return false end},
}
function event() print(sysbench.opt.b) return true end
