-- run: prepare $DB
-- sql: CREATE TABLE s (v VARCHAR(200))
function prepare()
   local con = sysbench.sql.driver():connect()
   local T = sysbench.sql.type
   local s = con:prepare("INSERT INTO s VALUES (?)")
   for _, typ in ipairs{T.CHAR, T.VARCHAR} do
      local p = s:bind_create(typ, 10)
      s:bind_param(p)
      for _, v in ipairs{"abc", "", "exactly ten", "0123456789", "it's", "a\0b"} do p:set(v) s:execute() end
      p:set(nil) s:execute()
   end
   local rs = con:query("SELECT LENGTH(v), HEX(v) FROM s")
   for i = 1, rs.nrows do local r = rs:fetch_row() print(r[1], r[2]) end
end
