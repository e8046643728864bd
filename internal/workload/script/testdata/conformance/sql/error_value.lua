-- run: run --events=1 --time=0 $DB
function event()
   local con = sysbench.sql.driver():connect()
   print(con.error, con.sql_errno, con.sql_state == nil, con.sql_errmsg == nil)
   local ok, err = pcall(con.query, con, "SELECT * FROM nowhere")
   print(ok, type(err), err)
   print(con.error, con.sql_errno, ffi.string(con.sql_state), ffi.string(con.sql_errmsg))
   local ok, err = pcall(function() con:query("INSERT INTO") end)
   print(ok, err:gsub("near.*", "near"))
   print(con.error, con.sql_errno)
   con:query("SELECT 1")
   print(con.error, con.sql_errno)
end
