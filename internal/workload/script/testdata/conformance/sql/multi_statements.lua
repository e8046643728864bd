-- run: run --events=1 --time=0 $DB
function event()
   local con = sysbench.sql.driver():connect()
   local rs = con:query("SELECT 'first'; SELECT 'second'")
   print(rs.nrows, rs:fetch_row()[1])
   con:query("SELECT 'third'")
end
