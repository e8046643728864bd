-- run: prepare $DB
function prepare()
   local names = {} for k, v in pairs(sysbench.db) do names[#names + 1] = k .. " " .. type(v) end table.sort(names) print(table.concat(names, ", "))
   sysbench.db.connect() sysbench.db.query("SET @a = 1") sysbench.db.disconnect()
end
