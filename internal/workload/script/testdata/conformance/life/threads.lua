-- run: run --threads=3 --events=30 --time=0
-- sort
-- vary
ffi.cdef("int usleep(unsigned int);")
function thread_init(id) io.write("thread_init " .. id .. " " .. sysbench.tid .. "\n") end
function event(id) if id ~= sysbench.tid then io.write("wrong id\n") end ffi.C.usleep(1000) end
function thread_done(id) io.write("thread_done " .. id .. "\n") end
