-- run: nonsense
-- run: version
function event() end
