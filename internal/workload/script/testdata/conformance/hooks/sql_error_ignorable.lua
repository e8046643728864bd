-- run: run --events=1 --time=0 $DB
-- sql: CREATE TABLE u (id INT PRIMARY KEY)
local n = 0
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   n = n + 1
   print("attempt", n)
   if n < 3 then con:query("SELECT * FROM missing" .. n) end
end
function sysbench.hooks.sql_error_ignorable(e)
   local names = {} for k in pairs(e) do names[#names + 1] = k end table.sort(names)
   print("hook", table.concat(names, " "), e.sql_errno, e.sql_state, e.query, e.errcode)
   return e.sql_errno == 1146
end
function sysbench.hooks.before_restart_event(e) print("before restart", e.errcode, e.sql_errno, e.query) end
