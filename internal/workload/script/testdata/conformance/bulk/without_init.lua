-- run: prepare $DB
-- run: cleanup $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   print(pcall(con.bulk_insert_next, con, "(1)"))
   con:bulk_insert_next("(1)")
end
function cleanup()
   local con = sysbench.sql.driver():connect()
   print(pcall(con.bulk_insert_done, con))
end
