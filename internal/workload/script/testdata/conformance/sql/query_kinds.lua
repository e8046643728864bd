-- run: run --events=1 --time=0 $DB
-- sql: CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(20))
function event()
   local con = sysbench.sql.driver():connect()
   for _, q in ipairs{"INSERT INTO a VALUES (1, 'one'), (2, NULL)", "SELECT * FROM a", "SELECT * FROM a WHERE id = 99", "UPDATE a SET v = 'x' WHERE id = 1", "UPDATE a SET v = 'x' WHERE id = 1",
      "DELETE FROM a WHERE id = 77", "BEGIN", "COMMIT", "SET @x = 1", "SHOW TABLES", "CREATE TABLE b AS SELECT * FROM a", "SELECT 1 INTO @y", "DO 1", "EXPLAIN SELECT 1", "REPLACE INTO a VALUES (1, 'r')", "TRUNCATE TABLE a", "DROP TABLE b"} do
      local rs = con:query(q)
      print(q, type(rs), tostring(rs), rs == nil, rs and "truthy" or "falsy", rs ~= nil and rs.nrows, rs ~= nil and rs.nfields)
   end
end
