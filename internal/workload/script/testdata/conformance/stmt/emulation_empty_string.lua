-- run: prepare $DB --db-ps-mode=disable
-- sql: CREATE TABLE e (c VARCHAR(50))
function prepare()
   local con = sysbench.sql.driver():connect()
   local s = con:prepare("INSERT INTO e VALUES (?)")
   local c = s:bind_create(sysbench.sql.type.CHAR, 20)
   s:bind_param(c)
   c:set("text") s:execute()
   c:set("") s:execute()
   print(con:query_row("SELECT GROUP_CONCAT(CONCAT('<', c, '>')) FROM e"))
end
