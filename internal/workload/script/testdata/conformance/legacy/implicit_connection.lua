-- run: prepare $DB
-- run: cleanup $DB
-- sql: CREATE TABLE l (v INT)
function prepare()
   db_query("INSERT INTO l VALUES (1)")
   db_bulk_insert_init("INSERT INTO l VALUES")
   for i = 1, 10 do db_bulk_insert_next("(" .. i .. ")") end
   db_bulk_insert_done()
   print(sysbench.sql.driver():connect():query_row("SELECT COUNT(*), SUM(v) FROM l"))
end
function cleanup() print(pcall(db_bulk_insert_next, "(1)")) print(pcall(db_bulk_insert_done)) print(pcall(db_disconnect)) end
