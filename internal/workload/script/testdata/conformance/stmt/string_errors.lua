-- run: prepare $DB
-- sql: CREATE TABLE s (v VARCHAR(200))
function prepare()
   local con = sysbench.sql.driver():connect()
   local T = sysbench.sql.type
   local s = con:prepare("INSERT INTO s VALUES (?)")
   print(pcall(s.bind_create, s, T.CHAR))
   print(pcall(s.bind_create, s, T.DATE))
   print(pcall(s.bind_create, s, 99))
   local i = s:bind_create(T.INT)
   print(pcall(i.set, i, "text"))
   print(pcall(i.set_rand_str, i, "###"))
   local c = s:bind_create(T.CHAR, 5)
   print(pcall(c.set, c, 5))
   print(pcall(c.set, c, {}))
   print(pcall(c.set_rand_str, c, 5))
end
