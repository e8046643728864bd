-- run:
local names = {}
for k, v in pairs(sysbench.sql.type) do names[#names + 1] = string.format("%2d %s", v, k) end
table.sort(names) print(table.concat(names, "\n"))
print(sysbench.sql.error.NONE, sysbench.sql.error.IGNORABLE, sysbench.sql.error.FATAL)
print(ffi.C.DB_ERROR_NONE, ffi.C.DB_ERROR_IGNORABLE, ffi.C.DB_ERROR_FATAL, ffi.C.SQL_TYPE_VARCHAR)
