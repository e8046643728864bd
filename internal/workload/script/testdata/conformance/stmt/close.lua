-- run: prepare $DB
-- run: prepare $DB --db-ps-mode=disable
function prepare()
   local con = sysbench.sql.driver():connect()
   local s = con:prepare("SELECT ?")
   local p = s:bind_create(sysbench.sql.type.INT)
   s:bind_param(p)
   p:set(1)
   s:execute()
   print(s:close())
   print(con:query_row("SELECT 'the connection goes on'"))
end
