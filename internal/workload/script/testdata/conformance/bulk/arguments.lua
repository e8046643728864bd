-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   print(pcall(con.bulk_insert_init, con, 5))
   print(pcall(con.bulk_insert_init, con))
   con:bulk_insert_init("INSERT INTO x VALUES")
   print(pcall(con.bulk_insert_next, con, nil))
   print(pcall(con.bulk_insert_next, con, {}))
end
