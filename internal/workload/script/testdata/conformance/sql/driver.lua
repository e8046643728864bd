-- run: prepare $DB
-- run: prepare --db-driver=nonsense
function prepare()
   local d = sysbench.sql.driver()
   print(d:name(), tostring(d), type(d), sysbench.sql.driver("mysql"):name())
   print(pcall(sysbench.sql.driver, "nonsense"))
   local c = d:connect()
   print(tostring(c), type(c), c.driver == d, c.driver:name())
   print(pcall(sysbench.sql.driver, 5))
   print(pcall(function() return d.nothing end))
end
