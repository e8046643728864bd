-- run:
-- LuaJIT's literals and escapes.
print(1ULL, 1LL, 18446744073709551615ULL, -1LL, 0xffULL, 0x1p4, 0x.8p1, 0xA, 0xffffffff)
print("\x41\x42", "\65\066", "a\z
       b", "\u{48}\u{20ac}", 'tab\tquote\'', [[long
string]], [==[a]]b]==])
print(#"\0abc", "x\0y" == "x\0y", #"\xff")
