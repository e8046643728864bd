-- run: prepare $DB
function prepare()
   local con = sysbench.sql.driver():connect()
   print(pcall(function() return con:more_results() end))
   print(pcall(function() return con:next_result() end))
end
