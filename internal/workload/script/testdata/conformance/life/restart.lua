-- run: run --events=2 --time=0
local n = 0
function event()
   n = n + 1
   print("attempt", n)
   if n % 3 ~= 0 then error({errcode = sysbench.error.RESTART_EVENT}) end
end
function sysbench.hooks.before_restart_event(e) print("before restart", e.errcode, e.sql_errno) end
