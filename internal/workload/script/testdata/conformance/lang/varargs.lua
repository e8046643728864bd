-- run:
local function count(...) local t = {...} return #t, select("#", ...), (...) end
print(count(1, 2, 3)) print(count()) print(count(nil, 2))
local function old(...) return arg end
print(type(old(1)), type(arg))
local t = {count(1, 2), count(3)} print(#t)
print((count(1, 2)))
print(math.max(unpack({4, 9, 2})))
