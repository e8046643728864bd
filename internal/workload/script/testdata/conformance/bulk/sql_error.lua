-- run: run --events=1 --time=0 $DB
-- run: run --events=1 --time=0 $DB --mysql-ignore-errors=all
function event()
   local con = sysbench.sql.driver():connect()
   con:bulk_insert_init("INSERT INTO missing VALUES")
   con:bulk_insert_next("(1)")
   print(pcall(con.bulk_insert_done, con))
   con:bulk_insert_init("INSERT INTO missing VALUES")
   con:bulk_insert_next("(1)")
   con:bulk_insert_done()
end
