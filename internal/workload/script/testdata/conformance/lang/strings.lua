-- run:
local function all(...)
   local t = {...}
   for i = 1, select("#", ...) do t[i] = tostring(t[i]) end
   print(table.concat(t, " | "))
end
all(("hello"):upper(), ("Hello"):lower(), ("abc"):rep(3), ("abc"):rep(2, "-"), ("abc"):reverse(), ("abc"):len(), #"abc", ("x"):rep(0))
all(("hello world"):find("o w")) all(("hello"):find("l+")) all(("a.b"):find(".", 1, true)) all(("abc"):find("x")) all(("abc"):find("", 10))
all(("key=value"):match("(%w+)=(%w+)")) all(("  trim  "):match("^%s*(.-)%s*$")) all(("/a/b/c.lua"):match("(.*/)")) all(("2024-01-02"):match("(%d+)-(%d+)-(%d+)"))
all(("hello"):gsub("l", "L")) all(("hello"):gsub("l", "L", 1)) all(("abc"):gsub("%w", "%0%0")) all(("abc"):gsub("", "-"))
all(("$name is $age"):gsub("%$(%w+)", {name = "Bob", age = 42})) all(("abc"):gsub(".", function(c) if c == "b" then return "X" end end))
all(("THE (quick) fox"):find("%((%a+)%)")) all(("THE (quick) fox"):gsub("%f[%a]%a+", string.lower)) all(("abc"):find("b()"))
for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do io.write(k, v, ";") end
print()
all(("abc"):byte(1, -1)) all(string.char(104, 105), ("abc"):sub(2), ("abc"):sub(-2, -1), ("abc"):sub(0), ("abc"):sub(5))
all(("f(a(b)c)d"):match("%b()")) all(("%d"):gsub("%%d", "%%s"))
all(pcall(string.rep)) all(pcall(string.find, "a", "[a")) all(pcall(string.gsub, "a", "(", "b")) all(pcall(string.gsub, "a", "a", "%2")) all(pcall(string.char, 256))
