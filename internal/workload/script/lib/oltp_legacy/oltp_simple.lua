-- One point select of column c.

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
   db_query("SELECT c FROM " .. t .. " WHERE id=" .. sb_rand(1, oltp_table_size))
end
