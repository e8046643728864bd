-- run:
local a, b = 5LL, 3ULL
print(a + 1, a - 10, a * 2, a / 2, a % 3, -a, a == 5, a < 6, a <= 5LL, b + 1, b - 4, a == 5LL, tostring(a), tonumber(b))
print(2LL^3, 9007199254740993LL, 9007199254740993LL + 1, 0x7fffffffffffffffLL + 1, 18446744073709551615ULL + 1)
print(ffi.new("int64_t", 7), ffi.new("uint64_t", 1), ffi.cast("int32_t", 2^31), ffi.cast("uint8_t", 300), ffi.new("int", 3.9))
print(tonumber(ffi.new("uint64_t", 2^40)), ffi.typeof("int64_t")(12), ffi.istype("int64_t", a), ffi.istype("uint64_t", a))
print(pcall(function() return a + "x" end))
print(pcall(function() return a .. "x" end))
print(pcall(function() return a < "x" end))
print(string.format("%d %s %x", 7LL, 7LL, 255LL))
local t = {} t[a] = 1 print(t[a], t[5LL], t[5])
