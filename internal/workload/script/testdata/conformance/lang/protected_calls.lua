-- run:
print(type(select(2, pcall(error, {code = 5}))))
print(select("#", pcall(function() return 1, nil, nil end)))
print(xpcall(function(a, b) return a + b end, print, 3, 4))
print(xpcall(function() error("oops", 0) end, function(m) return "handled " .. m end))
print(pcall(pcall, error, "x"))
print(pcall(function() pcall() end))
