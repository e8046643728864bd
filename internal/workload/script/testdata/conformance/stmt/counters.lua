-- run: run --events=3 --time=0 $DB
-- sql: CREATE TABLE c (id INT PRIMARY KEY, v INT)
-- sql: INSERT INTO c VALUES (1, 1)
function thread_init()
   con = sysbench.sql.driver():connect()
   s = {}
   for i, q in ipairs{"BEGIN", "SELECT v FROM c WHERE id = 1", "UPDATE c SET v = v + 1 WHERE id = 1", "UPDATE c SET v = 1 WHERE id = 99", "COMMIT"} do s[i] = con:prepare(q) end
end
function event() for i = 1, #s do s[i]:execute() end end
function thread_done() for i = 1, #s do s[i]:close() end con:disconnect() end
