-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   local rs = con:query("SELECT 1, 'two', NULL, 4.50, x'004142' UNION ALL SELECT 2, '', 'x', -1, 'end'")
   print(rs.nrows, rs.nfields)
   for i = 1, rs.nrows do
      local row = rs:fetch_row()
      print(type(row), #row[5], row[1], type(row[1]), row[2], row[3], row[4], row[5] == "\0AB" or row[5])
   end
   print(rs:fetch_row(), rs:fetch_row())
   print(rs:free())
   print(rs:fetch_row())
   print(pcall(rs.free, rs))
   rs = con:query("SELECT 1 FROM DUAL WHERE 1 = 0")
   print(rs.nrows, rs.nfields, rs:fetch_row())
end
