-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   print(con:disconnect())
   print(con:disconnect())
   print(pcall(con.query, con, "SELECT 1"))
   print(pcall(con.prepare, con, "SELECT 1"))
   print(pcall(con.query_row, con, "SELECT 1"))
   con:query("SELECT 2")
end
