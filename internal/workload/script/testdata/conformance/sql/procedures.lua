-- run: prepare $DB
-- sql: CREATE PROCEDURE one() UPDATE a SET v = v + 1
-- sql: CREATE TABLE a (v INT)
-- sql: INSERT INTO a VALUES (1)
function prepare()
   local con = sysbench.sql.driver():connect()
   local rs = con:query("CALL one()")
   print(rs == nil)
   print(con:query_row("SELECT v FROM a"))
end
