-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   print(pcall(con.bulk_insert_init, con, ("x"):rep(600000)))
   print(pcall(con.bulk_insert_init, con, ("x"):rep(524288)))
end
