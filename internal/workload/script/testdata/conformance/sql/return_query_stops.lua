-- run: run --events=5 --time=0 $DB
function thread_init() con = sysbench.sql.driver():connect() end
function event() return con:query("SET @x = 1") end
