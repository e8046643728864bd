-- run: run --events=1 --time=0
local function level3() error("deep") end
local function level2() local ok, e = pcall(level3) error("wrapped: " .. e, 0) end
function event() level2() end
