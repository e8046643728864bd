-- run: run --threads=8 --events=16 --time=0
-- vary
ffi.cdef[[int usleep(unsigned int); unsigned int sleep(unsigned int); int poll(void *, unsigned long, int); typedef long time_t; struct timespec { long tv_sec; long tv_nsec; }; int nanosleep(const struct timespec *, struct timespec *);]]
function event(id)
   if id % 3 == 0 then ffi.C.usleep(2000) elseif id % 3 == 1 then ffi.C.poll(nil, 0, 2) else
      local ts = ffi.new("struct timespec", {0, 2000000}) assert(ffi.C.nanosleep(ts, nil) == 0) end
   assert(ffi.C.sleep(0) == 0)
end
