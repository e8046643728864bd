-- run: run --threads=0
-- run: run --threads=
function event() end
