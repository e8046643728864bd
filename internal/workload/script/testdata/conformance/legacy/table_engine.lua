-- run: run --events=1 --time=0 --verbosity=0 --mysql-table-engine=myisam --myisam-max-rows=5
function event() print(mysql_table_engine, myisam_max_rows, type(myisam_max_rows)) end
