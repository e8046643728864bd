-- run: prepare $DB --mysql-ignore-errors=1146
function prepare()
   local con = sysbench.sql.driver():connect()
   local ok, e = pcall(con.query, con, "SELECT * FROM missing")
   print(ok, type(e), e.errcode, e.sql_errno, e.sql_state, e.sql_errmsg, e.query, e.connection == con, tostring(e.connection))
   local names = {} for k in pairs(e) do names[#names + 1] = k end table.sort(names) print(table.concat(names, " "))
   print(con.error, con.sql_errno)
   con:query("SELECT * FROM missing")
end
