-- run: run --events=1 --time=0 $DB
-- sql: CREATE TABLE b (id INT, v VARCHAR(10))
function event()
   local con = sysbench.sql.driver():connect()
   print(con:bulk_insert_init("INSERT INTO b VALUES"))
   for i = 1, 100 do local r = con:bulk_insert_next("(" .. i .. ", 'v" .. i .. "')") if i == 1 then print(r) end end
   print(con:query_row("SELECT COUNT(*) FROM b"))
   print(con:bulk_insert_done())
   print(con:query_row("SELECT COUNT(*), SUM(id), MAX(v) FROM b"))
end
