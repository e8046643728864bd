-- run:
local a = ffi.new("int[5]", {1, 2, 3})
print(a[0], a[2], a[4], ffi.sizeof(a), ffi.sizeof("int[?]", 10), ffi.sizeof("double"), ffi.alignof("int64_t"))
a[4] = 7.9 print(a[4])
local b = ffi.new("uint8_t[?]", 4) for i = 0, 3 do b[i] = 65 + i end
print(ffi.string(b, 4), ffi.string(b + 1, 2), b[0] + b[3])
ffi.fill(b, 4, 120) print(ffi.string(b, 4)) ffi.copy(b, "ab") print(ffi.string(b)) ffi.copy(b, "wxyz", 2) print(b[0], b[1], b[2])
local d = ffi.new("double[2]", 1.5) print(d[0], d[1])
print(ffi.new("char[4]", "abc")[1], ffi.string(ffi.new("char[8]", "hello")))
print(tostring(ffi.new("int[3]")):match("^cdata<int %[3%]>: 0x") ~= nil, pcall(ffi.new, "int[-1]"))
print(tostring(ffi.typeof("int")), tostring(ffi.typeof("struct { int x; }")):match("^ctype<struct") ~= nil)
