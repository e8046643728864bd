-- run: run --rand-seed=7 --events=2 --time=0 --verbosity=0
-- run: run --rand-seed=8 --events=2 --time=0 --verbosity=0 --percentile=0
-- Each finished event draws one more number, unless there are no percentiles.
function event()
   print(sysbench.rand.uniform_uint64(), sysbench.rand.uniform(1, 1000), sysbench.rand.default(1, 1000), sysbench.rand.string("@@##"))
end
