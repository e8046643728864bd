-- run: run --time=1 --rate=20 --threads=2
function event() end
