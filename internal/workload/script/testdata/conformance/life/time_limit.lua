-- run: run --time=1
-- vary
ffi.cdef[[int usleep(unsigned int);]]
function event() ffi.C.usleep(300000) end
function done() print("done") end
