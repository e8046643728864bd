-- run: run --events=40 --time=20 --threads=2 $DB
-- vary
-- sql: CREATE TABLE d (id INT PRIMARY KEY, v INT) ENGINE=InnoDB
-- sql: INSERT INTO d VALUES (1, 0), (2, 0)
ffi.cdef("int usleep(unsigned int);")
function thread_init() con = sysbench.sql.driver():connect() end
function event(id)
   local a, b = 1, 2
   if id == 1 then a, b = 2, 1 end
   con:query("BEGIN")
   con:query("UPDATE d SET v = v + 1 WHERE id = " .. a)
   ffi.C.usleep(5000)
   con:query("UPDATE d SET v = v + 1 WHERE id = " .. b)
   con:query("COMMIT")
end
function done() local c = sysbench.sql.driver():connect() print(c:query_row("SELECT v FROM d WHERE id = 1")) end
