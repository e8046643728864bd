-- run:
print(type(nil), type(1), type("x"), type({}), type(print), type(coroutine.create(print)), type(1LL), type(newproxy()), type(io.stdout))
print(tostring({}):match("^table: 0x") ~= nil, tostring(print):match("^function: builtin") or tostring(print):match("^function: ") ~= nil, tostring(coroutine.create(print)):match("^thread: 0x") ~= nil)
print(tostring(nil), tostring(true), tostring("x"))
print(#{1, 2, 3, nil, 5} >= 3, #"", not nil, not 0, nil == false, 1 and 2, nil or "d", false and 1)
for i = 10, 1, -4 do io.write(i, " ") end
for i = 1, 0 do io.write("never") end
for i = 0.1, 0.35, 0.1 do io.write(i, " ") end
print()
local function v(...) return select("#", ...), ... end
print(v(), v(nil), (v(1, 2, 3)), #{v(1, 2)})
