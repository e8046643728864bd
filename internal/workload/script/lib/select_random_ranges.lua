-- One select that counts the rows of random ranges of a part of sbtest1 that belongs to the thread.

require("oltp_common")

sysbench.cmdline.options.number_of_ranges = {"Number of random BETWEEN ranges per SELECT", 10}
sysbench.cmdline.options.delta = {"Size of BETWEEN ranges", 5}

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   stmt, param = {}, {}
   prepare_statements()
   -- Each thread has a part of the table.
   local width = sysbench.opt.table_size / sysbench.opt.threads
   rmin = width * sysbench.tid
   rmax = rmin + width
end

function prepare_statements()
   local ranges = string.rep("k BETWEEN ? AND ? OR ", sysbench.opt.number_of_ranges - 1) .. "k BETWEEN ? AND ?"
   stmt.ranges = con:prepare(string.format([[
        SELECT count(k)
          FROM sbtest1
          WHERE %s]], ranges))
   param = {}
   for i = 1, 2 * sysbench.opt.number_of_ranges do
      param[i] = stmt.ranges:bind_create(sysbench.sql.type.INT)
   end
   stmt.ranges:bind_param(unpack(param))
end

function close_statements()
   stmt.ranges:close()
end

local drop_tables = cleanup
function cleanup()
   if sysbench.opt.tables > 1 then
      error("this benchmark does not support --tables > 1")
   end
   drop_tables()
end

function event()
   for i = 1, 2 * sysbench.opt.number_of_ranges, 2 do
      local low = sysbench.rand.default(rmin, rmax)
      param[i]:set(low)
      param[i + 1]:set(low + sysbench.opt.delta)
   end
   stmt.ranges:execute()
   check_reconnect()
end
