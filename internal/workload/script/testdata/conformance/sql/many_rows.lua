-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   local rs = con:query("SELECT seq, REPEAT('x', seq % 50) FROM seq_1_to_5000")
   local n, bytes = 0, 0
   while true do
      local row = rs:fetch_row()
      if row == nil then break end
      n = n + tonumber(row[1]) bytes = bytes + #row[2]
   end
   print(rs.nrows, n, bytes)
   local a = {con:query_row("SELECT " .. ("1,"):rep(199) .. "2")}
   print(#a, a[200])
end
