-- run: --config-file=conf run
-- run: --config-file=missing --events=1 --time=0 --verbosity=0 run
function event() print(events, time) end
