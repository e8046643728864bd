-- run: run --events=4 --time=0 $DB --mysql-ignore-errors=2006,2013
-- sql: CREATE TABLE k (id INT PRIMARY KEY, v INT)
-- sql: INSERT INTO k VALUES (1, 0)
-- A lost connection takes its statements along: they are prepared anew before the event restarts.
local n = 0
local function prepare_all()
   s = con:prepare("UPDATE k SET v = v + ? WHERE id = 1")
   p = s:bind_create(sysbench.sql.type.INT)
   s:bind_param(p)
   p:set(1)
end
function thread_init() con = sysbench.sql.driver():connect() prepare_all() end
function sysbench.hooks.before_restart_event(e) print("restart", e.sql_errno == 2006 or e.sql_errno == 2013) prepare_all() end
function event()
   n = n + 1
   if n == 3 then sysbench.sql.driver():connect():query("KILL " .. con:query_row("SELECT CONNECTION_ID()")) end
   s:execute()
end
function thread_done() print(con:query_row("SELECT v FROM k")) end
