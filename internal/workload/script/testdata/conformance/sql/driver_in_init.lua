-- run: run --events=1 --time=0 $DB
function init() sysbench.sql.driver() end
function event() end
