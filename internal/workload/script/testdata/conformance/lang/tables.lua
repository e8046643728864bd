-- run:
local t = {5, 2, 8, 1}
table.sort(t) print(table.concat(t, ","))
table.sort(t, function(a, b) return a > b end) print(table.concat(t, ","))
table.insert(t, 9) table.insert(t, 1, 0) print(table.concat(t, " "), #t, table.remove(t), table.remove(t, 1), #t)
print(table.concat({}, ","), table.concat({1, 2.5, "x"}, "-"), table.concat({1, 2, 3}, ",", 2, 3))
print(table.getn({1, 2, 3}), table.maxn({1, 2, [10] = 3}), unpack({1, 2, 3}), unpack({1, 2, 3}, 2), select("#", unpack({}, 1, 3)))
table.foreachi({"a", "b"}, print)
print(select("#", nil, nil), select(2, "a", "b", "c"), select(-1, "a", "b"))
print(pcall(table.concat, {1, {}, 3}), pcall(table.insert, {}, 1, 2, 3), pcall(table.insert, nil, 1))
print(next({}), next({10}), rawequal(t, t), rawlen, table.unpack, table.pack)
print(pcall(table.sort, {3, "x", 1}))
