-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   local a, b = con:query_row("SELECT 9007199254740993, 18446744073709551615")
   print(a, b, type(a), tonumber(a), tonumber(b))
   print(con:query_row("SELECT " .. 2^53 .. ", " .. 10/3))
   print(con:query_row("SELECT " .. tostring(9007199254740993LL):gsub("LL", "")))
end
