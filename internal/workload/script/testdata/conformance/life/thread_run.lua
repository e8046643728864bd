-- run: run --events=3 --time=0
ffi.cdef[[int usleep(unsigned int);]]
function thread_run(id)
   print("thread_run", id, sysbench.tid)
   while ffi.C.sb_more_events(id) do
      ffi.C.sb_event_start(id)
      ffi.C.usleep(10)
      ffi.C.sb_event_stop(id)
   end
   print("ends")
end
function event() print("never") end
