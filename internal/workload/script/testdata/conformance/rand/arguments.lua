-- run:
local r = sysbench.rand
print(pcall(r.uniform, "1", 2)) print(pcall(r.uniform, nil, 2)) print(pcall(r.uniform, 1)) print(pcall(r.uniform)) print(pcall(r.default, {}, 1)) print(pcall(r.string, 5)) print(pcall(r.string)) print(pcall(r.pareto, true, 1)) print(pcall(r.gaussian, 1, "x"))
print(r.uniform(1.9, 1.1), r.uniform(5, 5), r.uniform(0, 2^32 - 1), type(r.uniform(1, 10)))
print(r.uniform(-3, -3), r.default(7, 7), r.gaussian(3, 3), r.special(9, 9), r.pareto(4, 4))
