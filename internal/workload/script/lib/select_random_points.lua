-- One select of random points of a part of sbtest1 that belongs to the thread.

require("oltp_common")

sysbench.cmdline.options.random_points = {"Number of random points in the IN() clause in generated SELECTs", 10}

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
   local marks = string.rep("?, ", sysbench.opt.random_points - 1) .. "?"
   stmt.ranges = con:prepare(string.format([[
        SELECT id, k, c, pad
          FROM sbtest1
          WHERE k IN (%s)
        ]], marks))
   param = {}
   for i = 1, sysbench.opt.random_points do
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
   for i = 1, sysbench.opt.random_points do
      param[i]:set(sysbench.rand.default(rmin, rmax))
   end
   stmt.ranges:execute()
   check_reconnect()
end
