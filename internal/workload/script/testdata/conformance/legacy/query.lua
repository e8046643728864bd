-- run: run --max-requests=2 --max-time=0 $DB
-- sql: CREATE TABLE l (id INT PRIMARY KEY AUTO_INCREMENT, v INT)
function thread_init(id) db_connect() print(db_driver) end
function event(id)
   print(db_query("INSERT INTO l (v) VALUES (" .. sb_rand_uniform(5, 5) .. ")"))
   print(select("#", db_query("SELECT * FROM l")))
   db_query("UPDATE l SET v = 6")
   db_query("BEGIN") db_query("COMMIT")
end
function thread_done() db_disconnect() end
