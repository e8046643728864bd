-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   print(pcall(con.query, con, 5))
   print(pcall(con.query, con, nil))
   print(pcall(con.query, con))
   print(pcall(con.query, con, {}))
   print(pcall(con.query, con, ""))
end
