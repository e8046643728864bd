-- run:
print(sysbench.rand.uniform_uint64(), sysbench.rand.uniform_uint64(), type(sysbench.rand.uniform_uint64()))
for i = 1, 3 do print(sysbench.rand.uniform_double()) end
for i = 1, 3 do print(sysbench.rand.uniform(1, 100), sysbench.rand.default(1, 100), sysbench.rand.gaussian(1, 100), sysbench.rand.special(1, 100), sysbench.rand.pareto(1, 100)) end
print(sysbench.rand.unique(), sysbench.rand.unique(), sysbench.rand.unique(5, 6))
print(sysbench.rand.string("###-@@@-x"), sysbench.rand.string(""), sysbench.rand.string("no marks"))
