-- run: prepare $DB
-- sql: CREATE TABLE t (id INT PRIMARY KEY) ENGINE=InnoDB
function prepare()
   local d = sysbench.sql.driver()
   local a, b = d:connect(), d:connect()
   print(a == b, a:query_row("SELECT CONNECTION_ID()") ~= b:query_row("SELECT CONNECTION_ID()"))
   a:query("BEGIN") a:query("INSERT INTO t VALUES (1)")
   print(a:query_row("SELECT COUNT(*) FROM t"), b:query_row("SELECT COUNT(*) FROM t"))
   a:query("COMMIT")
   print(b:query_row("SELECT COUNT(*) FROM t"))
   local ra, rb = a:query("SELECT 'a'"), b:query("SELECT 'b'")
   print(ra == rb, ra:fetch_row()[1], rb:fetch_row()[1])
   a:disconnect()
   print(b:query_row("SELECT 'still here'"))
end
