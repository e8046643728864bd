-- run:
ffi.cdef[[int printf(const char *fmt, ...); int puts(const char *); int snprintf(char *, size_t, const char *, ...);]]
io.write("before\n")
local buf = ffi.new("char[64]")
print(ffi.C.snprintf(buf, 64, "%d %s %.2f", ffi.new("int", 42), "text", 1.5), ffi.string(buf))
