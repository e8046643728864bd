-- run: prepare $DB
-- sql: CREATE TABLE b (id INT PRIMARY KEY, v VARBINARY(300))
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("INSERT INTO b VALUES (1, 'a\0b'), (2, x'00ff0a27')")
   print(con:query_row("SELECT LENGTH(v), HEX(v) FROM b WHERE id = 1"))
   local v = con:query_row("SELECT v FROM b WHERE id = 2")
   print(#v, v:byte(1, -1))
   print(con:query_row("SELECT '%d %s %', LENGTH('100%')"))
   con:query("INSERT INTO b VALUES (3, '" .. ("x"):rep(300) .. "')")
   print(#con:query_row("SELECT v FROM b WHERE id = 3"))
end
