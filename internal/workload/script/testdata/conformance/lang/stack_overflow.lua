-- run:
local function f(n) return 1 + f(n + 1) end
local ok, err = pcall(f, 1)
print(ok, tostring(err):match("stack overflow"))
local s = "x" for i = 1, 20 do s = s .. s end
print(#s, select("#", ("a"):rep(200, " "):gsub("a", "b")))
