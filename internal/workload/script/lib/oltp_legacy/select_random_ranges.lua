-- One select that counts the rows of random ranges of a part of sbtest1 that belongs to the thread.

local directory = string.match(test or "", "(.*/)")
if directory then
   dofile(directory .. "common.lua")
else
   require("common")
end

function thread_init(thread_id)
   set_vars()
   db_connect()
   number_of_ranges = tonumber(number_of_ranges) or 10
   delta = tonumber(delta) or 5
   local text = "SELECT count(k) FROM sbtest1 WHERE " .. string.rep("k BETWEEN ? AND ? OR ", number_of_ranges - 1) ..
      "k BETWEEN ? AND ?"
   params = {}
   for i = 1, 2 * number_of_ranges do
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
   for i = 1, 2 * number_of_ranges, 2 do
      params[i] = sb_rand(rmin, rmax)
      params[i + 1] = params[i] + delta
   end
   local rs = db_execute(statement)
   db_store_results(rs)
   db_free_results(rs)
end

function thread_done(thread_id)
   db_close(statement)
   db_disconnect()
end
