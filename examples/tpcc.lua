-- An order-entry workload of the size of TPC-C: nine tables and five transactions. Its figures are not TPC-C results.
--
--   sysbench tpcc.lua --scale=10 --threads=4 prepare     makes and fills the tables, warehouse by warehouse in parallel
--   sysbench tpcc.lua --scale=10 --threads=64 run
--   sysbench tpcc.lua --scale=10 check                   consistency of the data: exit code 1 when something is wrong
--   sysbench tpcc.lua cleanup
--
-- (and --mysql-* options as usual). It runs on sysbench 1.0.20 and on deltabench.

-- Modules lie beside this file, wherever the program is started.
local here = (sysbench.cmdline.script_path or ""):match("(.*/)")
if here then
   package.path = here .. "?.lua;" .. package.path
end

local load = require("tpcc_load")
local check = require("tpcc_check")
local transactions = require("tpcc_transactions")

sysbench.cmdline.options = {
   scale = {"Number of warehouses", 1},
   districts = {"Districts of a warehouse", 10},
   customers = {"Customers of a district", 3000},
   items = {"Items that each warehouse has in stock", 100000},
   engine = {"Storage engine", "innodb"},
   mix = {"Weights of new order, payment, order status, delivery and stock level", {45, 43, 4, 4, 4}},
   unordered = {"Lock stock in the order of the customer's list: there will be deadlocks", false},
   rollbacks = {"Percentage of new orders with an item that does not exist", 1},
}

sysbench.cmdline.commands = {
   prepare = {load.prepare, sysbench.cmdline.PARALLEL_COMMAND},
   check = {check.run},
   cleanup = {load.cleanup},
}

local con
local names = {"new_order", "payment", "order_status", "delivery", "stock_level"}
local upto = {} -- running sums of the weights

function thread_init()
   con = sysbench.sql.driver():connect()
   transactions.init(con)
   local sum = 0
   for i = 1, #names do
      sum = sum + (tonumber(sysbench.opt.mix[i]) or 0)
      upto[i] = sum
   end
   if sum < 1 then
      error("--mix needs five weights, such as 45,43,4,4,4")
   end
end

function event()
   local r = sysbench.rand.uniform(1, upto[#upto])
   for i = 1, #names do
      if r <= upto[i] then
         transactions[names[i]]()
         return
      end
   end
end

-- A deadlock has ended the transaction, a lock wait that took too long has not: both begin anew.
function sysbench.hooks.before_restart_event()
   con:query("ROLLBACK")
end

function thread_done()
   transactions.done()
   con:disconnect()
end
