-- run: run --threads=2 --time=5 --events=0
ffi.cdef("int usleep(unsigned int);")
function event(id) ffi.C.usleep(1000) if id == 1 then error("thread 1 fails") end end
function done() print("done") end
