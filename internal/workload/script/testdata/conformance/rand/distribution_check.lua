-- run: --rand-type=foo
-- run: help --rand-type=foo
-- run: run --rand-spec-pct=200 --events=1 --time=0 --verbosity=0
-- run: run --rand-spec-res=100 --events=1 --time=0 --verbosity=0
function event() end
