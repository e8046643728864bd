-- run:
ffi.cdef[[
typedef struct point { int x; double y; char name[8]; struct { short a, b; } in_; struct point *next; } point_t;
typedef enum { RED, GREEN = 5, BLUE } color; union u { int i; unsigned char b[4]; };
]]
local p = ffi.new("point_t", {1, 2.5, "abc", {3, 4}})
print(p.x, p.y, ffi.string(p.name), p.in_.a, p.in_.b, p.next == nil, ffi.sizeof("point_t"), ffi.offsetof("point_t", "y"), ffi.offsetof("point_t", "name"))
p.x = 10 p.in_.b = 40000 print(p.x, p.in_.b)
local q = ffi.new("point_t", {x = 7, next = p}) print(q.x, q.next.x, q.next == p)
print(ffi.C.RED, ffi.C.GREEN, ffi.C.BLUE, ffi.new("color", "BLUE"), tonumber(ffi.new("color", 5)))
local u = ffi.new("union u") u.i = 0x41424344 print(u.b[0], u.b[3])
print(pcall(function() return p.missing end))
print(pcall(function() p.x = "text" end))
local P = ffi.metatype("struct point", {__index = {sum = function(s) return s.x + s.y end}, __tostring = function(s) return "P" .. s.x end, __add = function(a, b) return a.x + b.x end, __len = function() return 2 end})
print(p:sum(), tostring(p), p + q, #p, P(3, 4):sum())
local done = false
local g = ffi.gc(ffi.new("int[1]"), function() done = true end) g = nil collectgarbage() collectgarbage() print(type(done))
