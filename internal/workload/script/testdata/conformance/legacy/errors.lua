-- run: run --events=1 --time=0 $DB
function event() db_query("SELECT * FROM missing") end
