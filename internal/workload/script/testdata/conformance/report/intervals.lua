-- run: run --time=1 --report-interval=1 --threads=2
-- vary
ffi.cdef("int usleep(unsigned int);")
function event() ffi.C.usleep(1500000) end
