-- Tables of tpcc.lua and what is in them at the beginning.

local rand = sysbench.rand
local M = {}

-- Each table with its columns and keys.
local tables = {
   {"warehouse", "w_id INT NOT NULL, w_name VARCHAR(10), w_city VARCHAR(20), w_tax DECIMAL(4,4), w_ytd DECIMAL(12,2), PRIMARY KEY (w_id)"},
   {"district", "d_id INT NOT NULL, d_w_id INT NOT NULL, d_name VARCHAR(10), d_tax DECIMAL(4,4), d_ytd DECIMAL(12,2), d_next_o_id INT, PRIMARY KEY (d_w_id, d_id)"},
   {"customer", "c_id INT NOT NULL, c_d_id INT NOT NULL, c_w_id INT NOT NULL, c_first VARCHAR(16), c_last VARCHAR(16), c_credit CHAR(2), c_discount DECIMAL(4,4), " ..
      "c_balance DECIMAL(12,2), c_ytd_payment DECIMAL(12,2), c_payments INT, c_deliveries INT, c_data TEXT, PRIMARY KEY (c_w_id, c_d_id, c_id), KEY by_name (c_w_id, c_d_id, c_last, c_first)"},
   {"history", "h_id BIGINT NOT NULL AUTO_INCREMENT, h_c_id INT, h_c_d_id INT, h_c_w_id INT, h_d_id INT, h_w_id INT, h_date DATETIME, h_amount DECIMAL(6,2), PRIMARY KEY (h_id)"},
   {"item", "i_id INT NOT NULL, i_name VARCHAR(24), i_price DECIMAL(5,2), i_data VARCHAR(50), PRIMARY KEY (i_id)"},
   {"stock", "s_i_id INT NOT NULL, s_w_id INT NOT NULL, s_quantity INT, s_dist CHAR(24), s_ytd DECIMAL(8,0), s_orders INT, s_remote INT, PRIMARY KEY (s_w_id, s_i_id)"},
   {"orders", "o_id INT NOT NULL, o_d_id INT NOT NULL, o_w_id INT NOT NULL, o_c_id INT, o_entry DATETIME, o_carrier INT, o_lines INT, o_local INT, PRIMARY KEY (o_w_id, o_d_id, o_id), KEY by_customer (o_w_id, o_d_id, o_c_id, o_id)"},
   {"new_orders", "no_o_id INT NOT NULL, no_d_id INT NOT NULL, no_w_id INT NOT NULL, PRIMARY KEY (no_w_id, no_d_id, no_o_id)"},
   {"order_line", "ol_o_id INT NOT NULL, ol_d_id INT NOT NULL, ol_w_id INT NOT NULL, ol_number INT NOT NULL, ol_i_id INT, ol_supply_w_id INT, ol_delivery DATETIME, ol_quantity INT, ol_amount DECIMAL(6,2), PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)"},
}

-- bulk inserts rows: rows(add) calls add with the text of each one.
local function bulk(con, into, rows)
   con:bulk_insert_init("INSERT INTO " .. into .. " VALUES")
   rows(function(format, ...) con:bulk_insert_next(string.format(format, ...)) end)
   con:bulk_insert_done()
end

local syllables = {"BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"}

-- last_name is the name of a number from 0 to 999.
function M.last_name(n)
   return syllables[math.floor(n / 100) % 10 + 1] .. syllables[math.floor(n / 10) % 10 + 1] .. syllables[n % 10 + 1]
end

local function tax()
   return rand.uniform(0, 2000) / 10000
end

local function load_items(con)
   bulk(con, "item", function(add)
      for i = 1, sysbench.opt.items do
         add("(%d,'%s',%.2f,'%s')", i, rand.string("@@@@@@-####"), rand.uniform(100, 10000) / 100, rand.string("@@@@@@@@@@@@@@@@@@@@@@@@@@"))
      end
   end)
end

local function load_stock(con, w)
   bulk(con, "stock", function(add)
      for i = 1, sysbench.opt.items do
         add("(%d,%d,%d,'%s',0,0,0)", i, w, rand.uniform(10, 100), rand.string("@@@@@@@@@@@@@@@@@@@@@@@@"))
      end
   end)
end

local function load_customers(con, w, d)
   bulk(con, "customer", function(add)
      for c = 1, sysbench.opt.customers do
         local name = c <= 1000 and c - 1 or rand.uniform(0, 999)
         add("(%d,%d,%d,'%s','%s','%s',%.4f,-10,10,1,0,'%s')", c, d, w, rand.string("@@@@@@@@"), M.last_name(name),
            rand.uniform(1, 10) == 1 and "BC" or "GC", rand.uniform(0, 5000) / 10000, rand.string(("@"):rep(100)))
      end
   end)
   bulk(con, "history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount)", function(add)
      for c = 1, sysbench.opt.customers do
         add("(%d,%d,%d,%d,%d,NOW(),10)", c, d, w, d, w)
      end
   end)
end

-- One order of every customer, in random order. The last 30 % have not been delivered.
local function load_orders(con, w, d)
   local customers = {}
   for i = 1, sysbench.opt.customers do
      local j = rand.uniform(1, i)
      customers[i] = customers[j]
      customers[j] = i
   end
   local delivered = math.floor(#customers * 0.7)
   local lines = {}
   bulk(con, "orders", function(add)
      for o, c in ipairs(customers) do
         lines[o] = rand.uniform(5, 15)
         add("(%d,%d,%d,%d,NOW(),%s,%d,1)", o, d, w, c, o <= delivered and rand.uniform(1, 10) or "NULL", lines[o])
      end
   end)
   bulk(con, "new_orders", function(add)
      for o = delivered + 1, #customers do
         add("(%d,%d,%d)", o, d, w)
      end
   end)
   bulk(con, "order_line", function(add)
      for o = 1, #customers do
         for n = 1, lines[o] do
            add("(%d,%d,%d,%d,%d,%d,%s,5,%.2f)", o, d, w, n, rand.uniform(1, sysbench.opt.items), w,
               o <= delivered and "NOW()" or "NULL", o <= delivered and 0 or rand.uniform(1, 999999) / 100)
         end
      end
   end)
end

-- Thread t of T loads warehouses t+1, t+1+T and so on; the first one also loads the items.
function M.prepare()
   local con = sysbench.sql.driver():connect()
   local opt = sysbench.opt
   for _, t in ipairs(tables) do
      con:query("CREATE TABLE IF NOT EXISTS " .. t[1] .. " (" .. t[2] .. ") ENGINE = " .. opt.engine)
   end
   if sysbench.tid == 0 then
      load_items(con)
   end
   for w = sysbench.tid + 1, opt.scale, opt.threads do
      print("Loading warehouse " .. w)
      -- What customers have paid so far: 10 each.
      con:query(string.format("INSERT INTO warehouse VALUES (%d, '%s', '%s', %.4f, %d)", w, rand.string("@@@@@@"), rand.string("@@@@@@@@@@"), tax(),
         10 * opt.customers * opt.districts))
      load_stock(con, w)
      for d = 1, opt.districts do
         con:query(string.format("INSERT INTO district VALUES (%d, %d, '%s', %.4f, %d, %d)", d, w, rand.string("@@@@@@"), tax(), 10 * opt.customers, opt.customers + 1))
         load_customers(con, w, d)
         load_orders(con, w, d)
      end
   end
   con:disconnect()
end

function M.cleanup()
   local con = sysbench.sql.driver():connect()
   for _, t in ipairs(tables) do
      print("Dropping table " .. t[1])
      con:query("DROP TABLE IF EXISTS " .. t[1])
   end
end

return M
