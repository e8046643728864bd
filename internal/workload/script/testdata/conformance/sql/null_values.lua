-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   print(con:query_row("SELECT NULL, 'after', NULL"))
   local row = con:query("SELECT NULL, 'x', NULL, 0, ''"):fetch_row()
   print(row[1], row[2], row[3], row[4], row[5] == "", row[1] == nil)
   local n = 0 for k in pairs(row) do n = n + 1 end print(n)
end
