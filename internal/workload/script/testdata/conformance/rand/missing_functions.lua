-- run:
local names = {}
for k, v in pairs(sysbench.rand) do names[#names + 1] = k end
table.sort(names)
print(table.concat(names, " "))
