-- run: run --events=2 --time=0 $DB --mysql-ignore-errors=1062,1146
-- run: run --events=1 --time=0 $DB --mysql-ignore-errors=all --verbosity=5
-- sql: CREATE TABLE u (id INT PRIMARY KEY)
local n = 0
function thread_init() con = sysbench.sql.driver():connect() con:query("DELETE FROM u") con:query("INSERT INTO u VALUES (1)") end
function event()
   n = n + 1
   if n == 1 or n == 3 then con:query("INSERT INTO u VALUES (1)") end
   if n == 4 then con:query("SELECT * FROM missing") end
   print("attempt", n)
end
