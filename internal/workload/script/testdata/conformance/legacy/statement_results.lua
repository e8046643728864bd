-- run: run --events=1 --time=0 $DB
function event()
   db_connect()
   local s = db_prepare("SELECT ? + 1")
   local params = {41}
   db_bind_param(s, params)
   local rs = db_execute(s)
   print(type(rs), db_store_results(rs))
   print(pcall(db_free_results, rs))
   db_close(s)
end
