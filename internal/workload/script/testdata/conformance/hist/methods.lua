-- run:
local h = sysbench.histogram.new(1024, 0.001, 100000)
print(type(h), pcall(h.update, h, "x"))
print(pcall(function() return h.nothing end))
for i = 1, 200 do h:update(i % 10 + 1) end
h:print()
