-- run: run --events=1 --time=0 $DB
function event() sysbench.sql.driver():connect():query("SELECT * FROM missing") end
function sysbench.hooks.sql_error_ignorable(e) print("hook", e.sql_errno) return false end
