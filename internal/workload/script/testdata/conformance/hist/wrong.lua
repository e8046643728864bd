-- run:
print(pcall(sysbench.histogram.new, "x", 1, 2))
print(pcall(sysbench.histogram.new))
