-- run: run --events=1 --time=0 $DB
-- run: run --events=1 --time=0 $DB --mysql-ignore-errors=1062
-- sql: CREATE TABLE u (id INT PRIMARY KEY)
-- sql: INSERT INTO u VALUES (1)
local n = 0
function event()
   n = n + 1
   local con = sysbench.sql.driver():connect()
   local s = con:prepare("INSERT INTO u VALUES (?)")
   local p = s:bind_create(sysbench.sql.type.INT) s:bind_param(p)
   p:set(n)
   if n == 1 then
      local ok, e = pcall(s.execute, s)
      print(ok, type(e), type(e) == "table" and e.query or e, con.sql_errno)
   end
   s:execute()
end
function sysbench.hooks.before_restart_event(e) print("restart", e.query, e.sql_errno, e.sql_state, e.sql_errmsg) end
