-- run: run --threads=3 --events=30 --time=0
-- sort
function thread_init(id) print("thread_init", id, sysbench.tid) end
function event(id) if id ~= sysbench.tid then print("wrong id") end ffi.C.usleep(1000) end
function thread_done(id) print("thread_done", id) end
ffi.cdef("int usleep(unsigned int);")
