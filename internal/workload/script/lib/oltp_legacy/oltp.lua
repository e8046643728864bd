-- Transactions of point selects, ranges, updates and a delete with an insert, on one table each, as text.

local directory = string.match(test or "", "(.*/)")
if directory then
   dofile(directory .. "common.lua")
else
   require("common")
end

-- Range queries: option with their number, what they select, and how they end.
ranges = {
   {times = "oltp_simple_ranges", what = "c", order = ""},
   {times = "oltp_sum_ranges", what = "SUM(K)", order = ""},
   {times = "oltp_order_ranges", what = "c", order = " ORDER BY c"},
   {times = "oltp_distinct_ranges", what = "DISTINCT c", order = " ORDER BY c"},
}

function thread_init(thread_id)
   set_vars()
   begin_query, commit_query = "BEGIN", "COMMIT"
   if db_driver == "mysql" and mysql_table_engine == "myisam" then -- no transactions there
      local locks = {}
      for i = 1, oltp_tables_count do
         locks[i] = "sbtest" .. i .. " WRITE"
      end
      begin_query, commit_query = "LOCK TABLES " .. table.concat(locks, " , "), "UNLOCK TABLES"
   end
end

function event(thread_id)
   local t = "sbtest" .. sb_rand_uniform(1, oltp_tables_count)
   if not oltp_skip_trx then
      db_query(begin_query)
   end

   if not oltp_write_only then
      for _ = 1, oltp_point_selects do
         db_query("SELECT c FROM " .. t .. " WHERE id=" .. sb_rand(1, oltp_table_size))
      end
      if oltp_range_selects then
         for _, kind in ipairs(ranges) do
            for _ = 1, _G[kind.times] do
               local low = sb_rand(1, oltp_table_size)
               db_query("SELECT " .. kind.what .. " FROM " .. t .. " WHERE id BETWEEN " .. low .. " AND " ..
                  low + oltp_range_size - 1 .. kind.order)
            end
         end
      end
   end

   if not oltp_read_only then
      for _ = 1, oltp_index_updates do
         db_query("UPDATE " .. t .. " SET k=k+1 WHERE id=" .. sb_rand(1, oltp_table_size))
      end
      for _ = 1, oltp_non_index_updates do
         local c = get_c_value()
         db_query("UPDATE " .. t .. " SET c='" .. c .. "' WHERE id=" .. sb_rand(1, oltp_table_size))
      end
      for _ = 1, oltp_delete_inserts do
         local id = sb_rand(1, oltp_table_size)
         db_query("DELETE FROM " .. t .. " WHERE id=" .. id)
         local c, pad = get_c_value(), get_pad_value()
         db_query(string.format("INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')", t, id, sb_rand(1, oltp_table_size), c, pad))
      end
   end

   if not oltp_skip_trx then
      db_query(commit_query)
   end
end
