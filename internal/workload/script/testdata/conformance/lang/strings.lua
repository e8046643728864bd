-- run:
print(("hello"):upper(), ("Hello"):lower(), ("abc"):rep(3), ("abc"):rep(2, "-"), ("abc"):reverse(), ("abc"):len(), #"abc")
print(("hello world"):find("o w"), ("hello"):find("l+"), ("a.b"):find(".", 1, true), ("abc"):find("x"), ("abc"):find("", 10))
print(("key=value"):match("(%w+)=(%w+)"), ("  trim  "):match("^%s*(.-)%s*$"), ("/a/b/c.lua"):match("(.*/)"), ("2024-01-02"):match("(%d+)-(%d+)-(%d+)"))
print(("hello"):gsub("l", "L"), ("hello"):gsub("l", "L", 1), ("abc"):gsub("%w", "%0%0"), ("abc"):gsub("", "-"))
print(("$name is $age"):gsub("%$(%w+)", {name = "Bob", age = 42}), ("abc"):gsub(".", function(c) if c == "b" then return "X" end end))
print(("THE (quick) fox"):find("%((%a+)%)"), ("THE (quick) fox"):gsub("%f[%a]%a+", string.lower))
for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do io.write(k, v, ";") end
print()
print(("abc"):byte(1, -1), string.char(104, 105), ("abc"):sub(2), ("abc"):sub(-2, -1), ("abc"):sub(0), ("abc"):sub(5))
print(("f(a(b)c)d"):match("%b()"), ("x"):rep(0), ("%d"):gsub("%%d", "%%s"))
print(pcall(string.rep), pcall(string.find, "a", "[a"), pcall(string.gsub, "a", "(", "b"))
