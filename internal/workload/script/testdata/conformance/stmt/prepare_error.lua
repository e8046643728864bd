-- run: run --events=1 --time=0 $DB
-- run: run --events=1 --time=0 $DB --mysql-ignore-errors=all
function event()
   local con = sysbench.sql.driver():connect()
   print(pcall(con.prepare, con, "SELECT * FROM missing"))
   print(con.error, con.sql_errno)
   con:prepare("SELECT nonsense FROM")
end
