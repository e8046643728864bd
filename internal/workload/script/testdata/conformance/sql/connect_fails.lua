-- run: prepare $DB --mysql-password=wrong
-- run: run $DB --mysql-db=missing_database
function prepare() sysbench.sql.driver():connect() end
function thread_init() sysbench.sql.driver():connect() end
function event() end
