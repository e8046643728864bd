-- run: run --events=2 --time=0 $DB --mysql-dry-run
function thread_init() con = sysbench.sql.driver():connect() end
function event() local rs = con:query("SELECT 1") print(rs == nil) end
