-- run: run --events=1 --time=0 $DB
function event()
   local con = sysbench.sql.driver():connect()
   con:query("SET @x = 5")
   local id = con:query_row("SELECT CONNECTION_ID()")
   print(con:reconnect())
   print(con:query_row("SELECT @x"), con:query_row("SELECT CONNECTION_ID()") ~= id)
end
