-- run: run --events=1 --time=0 $DB
function event() db_bulk_insert_next("(1)") end
