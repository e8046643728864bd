-- run: run --events=1 --time=0 $DB
function event() end
