-- run: run --events=1 --time=0
-- run: prepare
init = {}
prepare = 5
function event() end
