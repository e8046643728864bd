-- run: run --rand-seed=7 --events=1 --time=0 --verbosity=0 --rand-type=uniform
-- run: run --rand-seed=7 --events=1 --time=0 --verbosity=0 --rand-type=gaussian
-- run: run --rand-seed=7 --events=1 --time=0 --verbosity=0 --rand-type=special --rand-spec-pct=10 --rand-spec-res=50
-- run: run --rand-seed=7 --events=1 --time=0 --verbosity=0 --rand-type=pareto --rand-pareto-h=0.5
function event() for i = 1, 10 do io.write(sysbench.rand.default(1, 100000), " ") end print() end
