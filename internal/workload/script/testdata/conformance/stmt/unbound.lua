-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   local s = con:prepare("SELECT 1")
   print(s:execute().nrows)
   print(pcall(function() return s.nothing end))
   print(s:close())
end
