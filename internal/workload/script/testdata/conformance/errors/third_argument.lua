-- run: run again
-- run: run again --help
function event() end
