-- One insert, as text.

require("oltp_common")

-- Ids that events choose would collide with those of prepared rows.
local create_filled = create_table
function create_table(drv, con, table_num)
   if not sysbench.opt.auto_inc then
      sysbench.opt.table_size = 0
   end
   create_filled(drv, con, table_num)
end

function prepare_statements()
end

function event()
   local name = "sbtest" .. sysbench.rand.uniform(1, sysbench.opt.tables)
   local k = sysbench.rand.default(1, sysbench.opt.table_size)
   local c, pad = get_c_value(), get_pad_value()
   if drv:name() == "pgsql" and sysbench.opt.auto_inc then
      con:query(string.format("INSERT INTO %s (k, c, pad) VALUES (%d, '%s', '%s')", name, k, c, pad))
   else
      local id = 0 -- the server chooses
      if not sysbench.opt.auto_inc then
         id = sysbench.rand.unique() - 2147483648
      end
      con:query(string.format("INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')", name, id, k, c, pad))
   end
   check_reconnect()
end
