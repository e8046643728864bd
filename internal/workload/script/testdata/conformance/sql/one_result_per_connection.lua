-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   local r1 = con:query("SELECT 1, 2, 3 UNION SELECT 4, 5, 6")
   print(r1.nrows, r1.nfields, r1:fetch_row()[1])
   local r2 = con:query("SELECT 'second'")
   print(r1 == r2, r1.nrows, r1.nfields, r2.nrows, r1:fetch_row()[1], r2:fetch_row())
   local r3 = con:query("SET @a = 1")
   print(r3 == nil, r1 == r3, r1.nrows)
end
