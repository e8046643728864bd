-- run:
local h = sysbench.histogram.new(100, 0.001, 100)
h:print()
h:update(1)
h:print()
