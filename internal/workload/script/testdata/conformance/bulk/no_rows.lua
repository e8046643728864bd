-- run: run --events=1 --time=0 $DB
function event()
   local con = sysbench.sql.driver():connect()
   print(con:bulk_insert_init("INSERT INTO missing VALUES"))
   print(con:bulk_insert_done())
   print(con:bulk_insert_init("INSERT INTO missing VALUES"), con:bulk_insert_done())
end
