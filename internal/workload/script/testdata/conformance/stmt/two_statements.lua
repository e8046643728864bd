-- run: prepare $DB
-- sql: CREATE TABLE c (id INT PRIMARY KEY, v INT)
function prepare()
   local con = sysbench.sql.driver():connect()
   local T = sysbench.sql.type
   local ins, upd = con:prepare("INSERT INTO c VALUES (?, ?)"), con:prepare("UPDATE c SET v = ? WHERE id = ?")
   local i, v = ins:bind_create(T.INT), ins:bind_create(T.INT)
   ins:bind_param(i, v) upd:bind_param(v, i) -- parameters can serve several statements
   for n = 1, 3 do i:set(n) v:set(n * 10) ins:execute() v:set(n * 100) upd:execute() end
   local rs = con:query("SELECT * FROM c")
   for n = 1, rs.nrows do local r = rs:fetch_row() print(r[1], r[2]) end
end
