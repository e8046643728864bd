-- run: run --events=1 --time=0 $DB
-- sql: CREATE TABLE l (id INT, v VARCHAR(20))
function event()
   db_connect()
   local s = db_prepare("INSERT INTO l VALUES (?, ?)")
   local params = {1, "text"}
   print(type(s))
   db_bind_param(s, params)
   local rs = db_execute(s)
   print(type(rs))
   params[1], params[2] = 2, "more"
   db_execute(s)
   params[1] = 3
   db_execute(s)
   db_close(s)
   local con = sysbench.sql.driver():connect()
   local r = con:query("SELECT * FROM l")
   for i = 1, r.nrows do local row = r:fetch_row() print(row[1], row[2]) end
end
