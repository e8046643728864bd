-- run: run --events=1 --time=0 $DB
-- sql: CREATE TABLE i (id BIGINT, t TEXT)
function event()
   local con = sysbench.sql.driver():connect()
   local T = sysbench.sql.type
   local s = con:prepare("INSERT INTO i VALUES (?, 'x')")
   for _, typ in ipairs{T.TINYINT, T.SMALLINT, T.INT, T.BIGINT} do
      local p = s:bind_create(typ)
      print(type(p), tostring(p), s:bind_param(p))
      for _, v in ipairs{0, 1, -1, 3.9, -3.9, 2^31, 2^40, 300} do p:set(v) print(tostring(s:execute())) end
      p:set(nil) s:execute()
   end
   local p = s:bind_create(T.BIGINT) s:bind_param(p)
   p:set(9007199254740993LL) s:execute()
   p:set(-5LL) s:execute()
   p:set(18ULL) s:execute()
   local rs = con:query("SELECT id FROM i")
   for i = 1, rs.nrows do io.write(tostring(rs:fetch_row()[1]), " ") end
   print()
end
