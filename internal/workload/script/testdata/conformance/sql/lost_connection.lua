-- run: run --events=2 --time=0 $DB --mysql-ignore-errors=2006,2013
local n = 0
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   n = n + 1
   if n == 2 then
      local killer = sysbench.sql.driver():connect()
      killer:query("KILL " .. con:query_row("SELECT CONNECTION_ID()"))
      con:query("SELECT 1")
   end
   con:query("SELECT 2")
end
