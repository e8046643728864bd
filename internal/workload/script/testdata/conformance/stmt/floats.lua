-- run: prepare $DB
-- sql: CREATE TABLE f (v DOUBLE)
function prepare()
   local con = sysbench.sql.driver():connect()
   local T = sysbench.sql.type
   local s = con:prepare("INSERT INTO f VALUES (?)")
   for _, typ in ipairs{T.FLOAT, T.DOUBLE} do
      local p = s:bind_create(typ)
      s:bind_param(p)
      p:set(2.5) s:execute()
   end
   local rs = con:query("SELECT v FROM f")
   for i = 1, rs.nrows do print(rs:fetch_row()[1]) end
end
