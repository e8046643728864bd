-- One update of a column without index.

local directory = string.match(test or "", "(.*/)")
if directory then
   dofile(directory .. "common.lua")
else
   require("common")
end

function thread_init(thread_id)
   set_vars()
end

function event(thread_id)
   local t = "sbtest" .. sb_rand_uniform(1, oltp_tables_count)
   local c = get_c_value()
   db_query("UPDATE " .. t .. " SET c='" .. c .. "' WHERE id=" .. sb_rand(1, oltp_table_size))
end
