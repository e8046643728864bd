-- run: prepare $DB
-- sql: CREATE PROCEDURE several() BEGIN SELECT 1, NULL UNION SELECT 2, 'x'; SELECT x'00ff' AS b; SELECT 1 FROM DUAL WHERE FALSE; DO 1; SELECT 'last'; END
-- Results are read one after the other; the last one of a procedure is its status.
function prepare()
   local con = sysbench.sql.driver():connect()
   local rs = con:query("CALL several()")
   while true do
      if rs == nil then
         print("no rows")
      else
         print(rs.nrows, rs.nfields)
         for i = 1, rs.nrows do
            local row = rs:fetch_row()
            for j = 1, rs.nfields do row[j] = row[j] and row[j]:gsub("%c", "?"):gsub("\255", "!") or "NULL" end
            print("", table.concat(row, " "))
         end
      end
      if not con:more_results() then break end
      rs = con:next_result()
   end
   print(con:query_row("SELECT 'the connection goes on'"))
   print(con:query("SELECT 1; SELECT 2; SET @x = 3").nrows, con:more_results(), con:next_result():fetch_row()[1], con:more_results(), con:next_result() == nil, con:more_results())
   print(con:query_row("SELECT @x"))
end
