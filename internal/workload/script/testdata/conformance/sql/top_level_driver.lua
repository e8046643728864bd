-- run: prepare $DB
local d = sysbench.sql.driver()
print(d:name())
function prepare() local c = d:connect() print(c:query_row("SELECT 1 + 1")) end
