-- run: run --events=3 --time=0
local n = 0
function event() n = n + 1 if n == 2 then os.exit(7) end end
