-- run:
print() print(nil) print("a", 1, true, {} ~= nil) io.write("no newline") io.write("\n") io.stdout:write("x", "y", "\n")
local mt = setmetatable({}, {__tostring = function() return "object" end})
print(mt, tostring(mt))
print(pcall(print, setmetatable({}, {__tostring = function() return 1 end})))
io.stderr:write("to stderr\n")
