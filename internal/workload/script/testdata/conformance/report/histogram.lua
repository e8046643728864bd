-- run: run --events=1 --time=0 --histogram
-- decimals
function event() end
