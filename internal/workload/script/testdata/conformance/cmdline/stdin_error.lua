-- stdin: - run
local t = nil
print(t.x)
