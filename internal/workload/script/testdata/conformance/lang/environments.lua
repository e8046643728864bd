-- run:
local f = loadstring("return x") setfenv(f, {x = "own"}) print(f(), getfenv(f) ~= _G, getfenv(1) == _G)
print(loadstring("return ...")(1, 2), type(load(function() return nil end)))
local parts = {"return ", "1 + ", "2"} local i = 0
print(load(function() i = i + 1 return parts[i] end)())
module("mod", package.seeall)
y = 5
print(_NAME, package.loaded.mod == _M, y)
