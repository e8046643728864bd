-- One insert.

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
   local k = sb_rand(1, oltp_table_size)
   local c, pad = get_c_value(), get_pad_value()
   if db_driver == "pgsql" and oltp_auto_inc then
      db_query(string.format("INSERT INTO %s (k, c, pad) VALUES (%d, '%s', '%s')", t, k, c, pad))
   else
      local id = 0 -- the server chooses
      if not oltp_auto_inc then
         id = sb_rand_uniq(1, oltp_table_size)
      end
      db_query(string.format("INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')", t, id, k, c, pad))
   end
end
