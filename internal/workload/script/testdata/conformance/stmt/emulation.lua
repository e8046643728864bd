-- run: run --events=1 --time=0 $DB --db-ps-mode=disable
-- sql: CREATE TABLE e (a BIGINT, b DOUBLE, c VARCHAR(50), d VARCHAR(50))
function event()
   local con = sysbench.sql.driver():connect()
   local T = sysbench.sql.type
   local s = con:prepare("INSERT INTO e VALUES (?, 1.5, ?, '?')")
   local a, c, d = s:bind_create(T.BIGINT), s:bind_create(T.CHAR, 20), s:bind_create(T.INT)
   print(s:bind_param(a, c, d))
   a:set(-5) c:set("text") d:set(1) print(tostring(s:execute()))
   a:set(nil) c:set(nil) d:set(nil) s:execute()
   a:set(2^40) c:set("more") d:set(0) s:execute()
   local rs = con:query("SELECT * FROM e")
   for i = 1, rs.nrows do local r = rs:fetch_row() print(r[1], r[2], r[3], r[4]) end
   print(type(s:close()))
   local t = con:prepare("SELECT * FROM e WHERE a = ?")
   local p = t:bind_create(T.INT) t:bind_param(p) p:set(-5)
   rs = t:execute()
   print(rs.nrows, rs.nfields, rs:fetch_row()[3])
   print(pcall(con.prepare, con, "nonsense is not noticed"))
end
