-- run: prepare $DB
local function helper(con)
   con:query("SELECT nothing_at_line_3")
end
function prepare()
   helper(sysbench.sql.driver():connect())
end
