-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   local T = sysbench.sql.type
   local s = con:prepare("SELECT ? + ?")
   local a, b = s:bind_create(T.INT), s:bind_create(T.INT)
   print(s:bind_param(a))
   print(s:bind_param())
   print(s:bind_param(a, b))
   print(s:bind_param(a, b, a))
   print(pcall(s.bind_param, s, 5))
end
