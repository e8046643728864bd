-- run: prepare $DB
-- sql: CREATE PROCEDURE rows_() SELECT 1, NULL UNION SELECT 2, 'x'
function prepare()
   local con = sysbench.sql.driver():connect()
   local rs = con:query("CALL rows_()")
   print(rs.nrows, rs:fetch_row()[1], rs:fetch_row()[2])
   print(pcall(con.query, con, "SELECT 1"))
end
