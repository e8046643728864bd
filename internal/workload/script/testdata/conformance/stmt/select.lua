-- run: run --events=1 --time=0 $DB
-- run: run --events=1 --time=0 $DB --db-ps-mode=disable
function event()
   local con = sysbench.sql.driver():connect()
   local s = con:prepare("SELECT ?, 'x' UNION ALL SELECT 7, 'y'")
   local p = s:bind_create(sysbench.sql.type.INT)
   print(tostring(s), type(s), s.connection == con, s:bind_param(p))
   p:set(42)
   local rs = s:execute()
   print(tostring(rs), rs.nrows, rs.nfields)
   local row = rs:fetch_row()
   print(row and row[1], row and row[2])
   print(rs:free())
   p:set(43) rs = s:execute() print(rs.nrows)
   print(type(s:close()))
end
