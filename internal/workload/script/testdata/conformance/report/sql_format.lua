-- run: run --events=2 --time=0 $DB
function thread_init() con = sysbench.sql.driver():connect() con:query("CREATE TEMPORARY TABLE x (a INT)") end
function event() con:query("SELECT 1") con:query("INSERT INTO x VALUES (1)") con:query("COMMIT") pcall(con.query, con, "SELECT * FROM missing") end
