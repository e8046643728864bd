-- run:
for _, text in ipairs{"x =", "if x then", "for i = 1 do end", "local 1", "return return", "x = 'abc", "x = [[abc", "x = }", "f(", "a.b:c = 1", "break", "x = 1e", "goto 1", "local function end", "x = \"\\q\"", "--[[ never closed", "x = 'a\nb'", "return ...", "function f() return ... end", "for a in", "repeat until", "x y"} do
   print(select(2, loadstring(text, "=t")))
end
print(select(2, loadstring("x =")))
print(select(2, loadstring("line1()\nline2(\n")))
