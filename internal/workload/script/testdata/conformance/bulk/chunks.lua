-- run: run --events=1 --time=0 $DB
-- sql: CREATE TABLE b (v VARCHAR(2000))
function event()
   local con = sysbench.sql.driver():connect()
   con:bulk_insert_init("INSERT INTO b VALUES")
   local row = "('" .. ("x"):rep(1000) .. "')"
   for i = 1, 1200 do con:bulk_insert_next(row) if i % 400 == 0 then print(i, con:query_row("SELECT COUNT(*) FROM b")) end end
   con:bulk_insert_done()
   print(con:query_row("SELECT COUNT(*) FROM b"))
end
