-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   print(con:query_row("SELECT 1, 'b', NULL, 2.50"))
   print(select("#", con:query_row("SELECT 1, NULL")))
   print(con:query_row("SELECT 1 FROM DUAL WHERE FALSE"))
   print(con:query_row("SET @x = 1"))
   local a, b = con:query_row("SELECT 'first', 'row' UNION ALL SELECT 'second', 'row'")
   print(a, b, type(a))
   print(pcall(con.query_row, con, "SELECT nonsense"))
end
