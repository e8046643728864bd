-- run: prepare $DB
-- sql: CREATE TABLE s (v VARCHAR(200))
function prepare()
   local con = sysbench.sql.driver():connect()
   local s = con:prepare("INSERT INTO s VALUES (?)")
   local p = s:bind_create(sysbench.sql.type.CHAR, 30)
   s:bind_param(p)
   for _, t in ipairs{"###-@@@", "fixed", "", "#@#@#@#@#@"} do p:set_rand_str(t) s:execute() end
   local rs = con:query("SELECT v FROM s")
   for i = 1, rs.nrows do print(rs:fetch_row()[1]) end
end
