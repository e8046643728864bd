-- run:
local V = {}
V.__index = V
V.__add = function(a, b) return setmetatable({a[1] + b[1]}, V) end
V.__eq = function(a, b) return a[1] == b[1] end
V.__lt = function(a, b) return a[1] < b[1] end
V.__le = function(a, b) return a[1] <= b[1] end
V.__call = function(self, x) return "called " .. x end
V.__concat = function(a, b) return "concat" end
V.__len = function() return 99 end
V.__unm = function() return "neg" end
V.__tostring = function(s) return "V(" .. s[1] .. ")" end
V.__newindex = function(t, k, v) rawset(t, k, v * 2) end
local a, b = setmetatable({1}, V), setmetatable({2}, V)
print(tostring(a + b), a == b, a < b, a <= b, a(5), a .. b, #a, -a)
a.x = 5 print(a.x, rawget(a, "x"))
local p = newproxy(true)
getmetatable(p).__len = function() return 7 end
getmetatable(p).__index = function(_, k) return k .. "!" end
print(#p, p.hello, type(p))
print(getmetatable("").__index == string, getmetatable(setmetatable({}, {__metatable = "locked"})))
print(pcall(setmetatable, setmetatable({}, {__metatable = 1}), {}))
