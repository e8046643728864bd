-- run: run --time=1 --rate=20 --threads=2
-- vary
function event() end
