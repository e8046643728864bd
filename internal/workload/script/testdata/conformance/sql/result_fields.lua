-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   local rs = con:query("SELECT 1 a, 2 b")
   print(type(rs.nrows), type(rs.nfields), tostring(rs), type(rs))
   print(pcall(function() return rs.columns end))
   print(pcall(function() return con.nonsense end))
   print(pcall(function() return con:nonsense() end))
end
