-- run: run --events=2 --time=0 $DB
function thread_init() con = sysbench.sql.driver():connect() end
function event() pcall(con.query, con, "SELECT * FROM missing") con:query("SELECT 1") end
