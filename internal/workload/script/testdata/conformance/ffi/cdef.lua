-- run:
ffi.cdef[[
int getpid(void); unsigned int sleep(unsigned int seconds); long time(long *t); size_t strlen(const char *s);
int strcmp(const char *a, const char *b); int atoi(const char *s); void *memcpy(void *d, const void *s, size_t n);
struct timeval { long tv_sec; long tv_usec; }; int gettimeofday(struct timeval *tv, void *tz);
]]
ffi.cdef[[int getpid(void);]]
print(type(ffi.C.getpid()), ffi.C.getpid() > 1, ffi.C.time(nil) > 1e9, ffi.C.strlen("hello"), type(ffi.C.strlen("x")), ffi.C.strcmp("a", "a"), ffi.C.atoi("42"))
local tv = ffi.new("struct timeval")
print(ffi.C.gettimeofday(tv, nil), tonumber(tv.tv_sec) > 1e9, type(tv.tv_sec), tonumber(tv.tv_usec) < 1e6)
print(pcall(function() return ffi.C.no_such_function end))
print(pcall(ffi.cdef, "int broken("))
print(pcall(ffi.cdef, "nonsense x;"))
