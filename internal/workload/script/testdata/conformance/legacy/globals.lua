-- run: run --events=1 --time=0 --verbosity=0
print(thread_id, test, DB_ERROR_NONE, DB_ERROR_RESTART_TRANSACTION, DB_ERROR_FAILED, mysql_table_engine, myisam_max_rows, db_driver)
local names = {}
for k, v in pairs(_G) do if type(k) == "string" and (k:match("^db_") or k:match("^sb_")) and type(v) == "function" then names[#names + 1] = k end end
table.sort(names) print(table.concat(names, " "))
function thread_init(id) print("thread_init", id, thread_id) end
function event(id) print("event", id, mysql_table_engine, myisam_max_rows, db_driver) end
