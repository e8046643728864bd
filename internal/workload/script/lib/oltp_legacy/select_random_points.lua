-- One select of random points of a part of sbtest1 that belongs to the thread.

local directory = string.match(test or "", "(.*/)")
if directory then
   dofile(directory .. "common.lua")
else
   require("common")
end

function thread_init(thread_id)
   set_vars()
   db_connect()
   random_points = tonumber(random_points) or 10
   local text = "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (" .. string.rep("?, ", random_points - 1) .. "?)"
   params = {}
   for i = 1, random_points do
      params[i] = 1
   end
   statement = db_prepare(text)
   db_bind_param(statement, params)

   -- Each thread has a part of the table.
   local width = oltp_table_size / threads
   rmin = width * thread_id
   rmax = rmin + width
end

function event(thread_id)
   for i = 1, random_points do
      params[i] = sb_rand(rmin, rmax)
   end
   local rs = db_execute(statement)
   db_store_results(rs)
   db_free_results(rs)
end

function thread_done(thread_id)
   db_close(statement)
   db_disconnect()
end
