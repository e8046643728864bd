-- run: prepare --db-driver=
function prepare()
   local d = sysbench.sql.driver()
   print(d:name())
end
