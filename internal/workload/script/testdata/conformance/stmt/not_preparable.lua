-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   local s = con:prepare("USE " .. con:query_row("SELECT DATABASE()"))
   print(tostring(s:execute()))
end
