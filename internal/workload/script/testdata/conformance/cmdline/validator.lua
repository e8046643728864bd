-- run: run --a=3
-- run: run --a=ok --events=1 --time=0 --verbosity=0
sysbench.cmdline.options = {a = {"checked", "d", sysbench.cmdline.ARG_STRING, function(name, value)
   print("validator", type(name), ffi.string(name), ffi.string(value))
   return ffi.string(value) == "ok"
end}}
function event() print(sysbench.opt.a) end
