-- The five transactions of tpcc.lua.

local load = require("tpcc_load")
local uniform = sysbench.rand.uniform
local M = {}

local con
local stmt, param -- prepared statements of the new order, by name

local function prepare(name, text, n)
   local s, p = con:prepare(text), {}
   for i = 1, n do
      p[i] = s:bind_create(sysbench.sql.type.INT)
   end
   s:bind_param(unpack(p))
   stmt[name], param[name] = s, p
end

local function execute(name, ...)
   for i, v in ipairs({...}) do
      param[name][i]:set(v)
   end
   return stmt[name]:execute()
end

-- init makes what a thread needs on its connection.
function M.init(connection)
   con, stmt, param = connection, {}, {}
   prepare("next_order", "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?", 2)
   prepare("order", "INSERT INTO orders VALUES (?, ?, ?, ?, NOW(), NULL, ?, ?)", 6)
   prepare("new_order", "INSERT INTO new_orders VALUES (?, ?, ?)", 3)
   prepare("take", "UPDATE stock SET s_quantity = IF(s_quantity >= ? + 10, s_quantity - ?, s_quantity - ? + 91), " ..
      "s_ytd = s_ytd + ?, s_orders = s_orders + 1, s_remote = s_remote + ? WHERE s_w_id = ? AND s_i_id = ?", 7)
end

function M.done()
   for _, s in pairs(stmt) do
      s:close()
   end
end

local function sql(format, ...)
   return con:query(string.format(format, ...))
end

local function row(format, ...)
   return con:query_row(string.format(format, ...))
end

-- skewed draws a number from 1 to max, some far more often than others (NURand of the TPC-C specification).
local function skewed(a, max)
   return bit.bor(uniform(0, a), uniform(1, max)) % max + 1
end

local function random_warehouse()
   return uniform(1, sysbench.opt.scale)
end

local function random_district()
   return uniform(1, sysbench.opt.districts)
end

local function random_customer()
   return skewed(1023, sysbench.opt.customers)
end

-- by_name returns the customer in the middle of those who have a random name, or a random one.
local function by_name(w, d)
   local rs = sql("SELECT c_id FROM customer WHERE c_w_id = %d AND c_d_id = %d AND c_last = '%s' ORDER BY c_first", w, d,
      load.last_name(skewed(255, math.min(1000, sysbench.opt.customers)) - 1))
   local ids = {}
   for i = 1, rs.nrows do
      ids[i] = tonumber(rs:fetch_row()[1])
   end
   return ids[math.ceil(#ids / 2)] or random_customer()
end

function M.new_order()
   local opt = sysbench.opt
   local w, d, c = random_warehouse(), random_district(), random_customer()
   local lines, all_local = {}, 1
   for n = 1, uniform(5, 15) do
      local supply = w
      if opt.scale > 1 and uniform(1, 100) == 1 then
         supply = random_warehouse()
      end
      if supply ~= w then
         all_local = 0
      end
      lines[n] = {item = skewed(8191, opt.items), supply = supply, quantity = uniform(1, 10)}
   end
   if uniform(1, 100) <= opt.rollbacks then
      lines[#lines].item = opt.items + 1 -- which nobody sells
   end
   -- Rows are locked in the same order by everybody, which leaves few deadlocks.
   if not opt.unordered then
      table.sort(lines, function(a, b)
         if a.supply ~= b.supply then
            return a.supply < b.supply
         end
         return a.item < b.item
      end)
   end

   con:query("BEGIN")
   local discount, w_tax = row("SELECT c_discount, w_tax FROM customer JOIN warehouse ON w_id = c_w_id WHERE w_id = %d AND c_d_id = %d AND c_id = %d", w, d, c)
   local o, d_tax = row("SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = %d AND d_id = %d FOR UPDATE", w, d)
   execute("next_order", w, d)
   execute("order", tonumber(o), d, w, c, #lines, all_local)
   execute("new_order", tonumber(o), d, w)
   for n, line in ipairs(lines) do
      local price = row("SELECT i_price FROM item WHERE i_id = %d", line.item)
      if price == nil then
         con:query("ROLLBACK")
         return
      end
      execute("take", line.quantity, line.quantity, line.quantity, line.quantity, line.supply == w and 0 or 1, line.supply, line.item)
      local amount = line.quantity * price * (1 + w_tax + d_tax) * (1 - discount)
      sql("INSERT INTO order_line VALUES (%d, %d, %d, %d, %d, %d, NULL, %d, %.2f)", o, d, w, n, line.item, line.supply, line.quantity, amount)
   end
   con:query("COMMIT")
end

function M.payment()
   local w, d = random_warehouse(), random_district()
   local amount = uniform(100, 500000) / 100
   local c_w, c_d = w, d -- where the customer lives
   if sysbench.opt.scale > 1 and uniform(1, 100) <= 15 then
      c_w, c_d = random_warehouse(), random_district()
   end

   con:query("BEGIN")
   sql("UPDATE warehouse SET w_ytd = w_ytd + %.2f WHERE w_id = %d", amount, w)
   sql("UPDATE district SET d_ytd = d_ytd + %.2f WHERE d_w_id = %d AND d_id = %d", amount, w, d)
   local c = uniform(1, 100) <= 60 and by_name(c_w, c_d) or random_customer()
   local credit, data = row("SELECT c_credit, c_data FROM customer WHERE c_w_id = %d AND c_d_id = %d AND c_id = %d FOR UPDATE", c_w, c_d, c)
   if credit == "BC" then -- bad credit: what was paid is noted
      data = string.format("%d %d %d %d %d %.2f|%s", c, c_d, c_w, d, w, amount, data):sub(1, 500)
   end
   sql("UPDATE customer SET c_balance = c_balance - %.2f, c_ytd_payment = c_ytd_payment + %.2f, c_payments = c_payments + 1, c_data = '%s' " ..
      "WHERE c_w_id = %d AND c_d_id = %d AND c_id = %d", amount, amount, data, c_w, c_d, c)
   sql("INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount) VALUES (%d, %d, %d, %d, %d, NOW(), %.2f)", c, c_d, c_w, d, w, amount)
   con:query("COMMIT")
end

function M.order_status()
   local w, d = random_warehouse(), random_district()
   con:query("BEGIN")
   local c = uniform(1, 100) <= 60 and by_name(w, d) or random_customer()
   row("SELECT c_first, c_last, c_balance FROM customer WHERE c_w_id = %d AND c_d_id = %d AND c_id = %d", w, d, c)
   local o, _, lines = row("SELECT o_id, o_carrier, o_lines FROM orders WHERE o_w_id = %d AND o_d_id = %d AND o_c_id = %d ORDER BY o_id DESC LIMIT 1", w, d, c)
   if o ~= nil then
      local rs = sql("SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery FROM order_line WHERE ol_w_id = %d AND ol_d_id = %d AND ol_o_id = %d", w, d, o)
      if rs.nrows ~= tonumber(lines) then
         error(string.format("order %d of district %d.%d has %d lines, not %s", o, w, d, rs.nrows, lines))
      end
      local quantity = 0
      for _ = 1, rs.nrows do
         quantity = quantity + rs:fetch_row()[3]
      end
   end
   con:query("COMMIT")
end

-- Reads here lock: an order may be younger than the transaction's view of the data.
function M.delivery()
   local w, carrier = random_warehouse(), uniform(1, 10)
   con:query("BEGIN")
   for d = 1, sysbench.opt.districts do
      local o = row("SELECT no_o_id FROM new_orders WHERE no_w_id = %d AND no_d_id = %d ORDER BY no_o_id LIMIT 1 FOR UPDATE", w, d)
      if o ~= nil then
         sql("DELETE FROM new_orders WHERE no_w_id = %d AND no_d_id = %d AND no_o_id = %d", w, d, o)
         local c = row("SELECT o_c_id FROM orders WHERE o_w_id = %d AND o_d_id = %d AND o_id = %d FOR UPDATE", w, d, o)
         sql("UPDATE orders SET o_carrier = %d WHERE o_w_id = %d AND o_d_id = %d AND o_id = %d", carrier, w, d, o)
         sql("UPDATE order_line SET ol_delivery = NOW() WHERE ol_w_id = %d AND ol_d_id = %d AND ol_o_id = %d", w, d, o)
         local sum = row("SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = %d AND ol_d_id = %d AND ol_o_id = %d FOR UPDATE", w, d, o)
         sql("UPDATE customer SET c_balance = c_balance + %s, c_deliveries = c_deliveries + 1 WHERE c_w_id = %d AND c_d_id = %d AND c_id = %d", sum, w, d, c)
      end
   end
   con:query("COMMIT")
end

function M.stock_level()
   local w, d, threshold = random_warehouse(), random_district(), uniform(10, 20)
   con:query("BEGIN")
   local o = row("SELECT d_next_o_id FROM district WHERE d_w_id = %d AND d_id = %d", w, d)
   row("SELECT COUNT(DISTINCT s_i_id) FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id " ..
      "WHERE ol_w_id = %d AND ol_d_id = %d AND ol_o_id >= %d AND s_quantity < %d", w, d, o - 20, threshold)
   con:query("COMMIT")
end

return M
