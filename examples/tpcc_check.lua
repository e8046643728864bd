-- Conditions that the data of tpcc.lua meets after any number of transactions.

local M = {}

-- Each has a query whose rows are violations.
local conditions = {
   {"a warehouse has what its districts have", "SELECT w_id, w_ytd, SUM(d_ytd) s FROM warehouse JOIN district ON d_w_id = w_id GROUP BY w_id, w_ytd HAVING w_ytd <> s"},
   {"a warehouse has what its history says", "SELECT w_id, w_ytd, SUM(h_amount) s FROM warehouse JOIN history ON h_w_id = w_id GROUP BY w_id, w_ytd HAVING w_ytd <> s"},
   {"customers have paid what their history says",
      "SELECT c_w_id, SUM(c_ytd_payment) p, (SELECT SUM(h_amount) FROM history WHERE h_c_w_id = c_w_id) s FROM customer GROUP BY c_w_id HAVING p <> s"},
   {"the next order follows the last one",
      "SELECT d_w_id, d_id, d_next_o_id, MAX(o_id) m FROM district JOIN orders ON o_w_id = d_w_id AND o_d_id = d_id GROUP BY d_w_id, d_id, d_next_o_id HAVING d_next_o_id <> m + 1"},
   {"new orders have no gaps", "SELECT no_w_id, no_d_id, COUNT(*), MIN(no_o_id), MAX(no_o_id) FROM new_orders GROUP BY no_w_id, no_d_id HAVING COUNT(*) <> MAX(no_o_id) - MIN(no_o_id) + 1"},
   {"an order has as many lines as it says",
      "SELECT o_w_id, o_d_id, o_id, o_lines, COUNT(ol_number) FROM orders LEFT JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id " ..
      "GROUP BY o_w_id, o_d_id, o_id, o_lines HAVING o_lines <> COUNT(ol_number)"},
   {"an order has a carrier unless it is new",
      "SELECT o_w_id, o_d_id, o_id FROM orders LEFT JOIN new_orders ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id WHERE (o_carrier IS NULL) <> (no_o_id IS NOT NULL)"},
   {"lines are delivered with their order",
      "SELECT o_w_id, o_d_id, o_id, ol_number FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE (o_carrier IS NULL) <> (ol_delivery IS NULL)"},
   {"customers owe what was delivered and not paid",
      "SELECT c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, (SELECT COALESCE(SUM(ol_amount), 0) FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id " ..
      "WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id AND ol_delivery IS NOT NULL) s FROM customer HAVING c_balance <> s - c_ytd_payment"},
}

-- run prints the state of each condition. False, which is exit code 1, when one does not hold.
function M.run()
   local con = sysbench.sql.driver():connect()
   local good = true
   for _, c in ipairs(conditions) do
      local rs = con:query(c[2])
      print((rs.nrows == 0 and "ok    " or "WRONG ") .. c[1])
      for _ = 1, math.min(rs.nrows, 3) do
         local row = rs:fetch_row()
         local words = {}
         for i = 1, rs.nfields do
            words[i] = row[i] or "NULL"
         end
         print("      " .. table.concat(words, "  "))
         good = false
      end
   end
   local orders, payments = con:query_row("SELECT (SELECT COUNT(*) FROM orders), (SELECT COUNT(*) FROM history)")
   print(string.format("%d orders, %d payments", orders, payments))
   return good
end

return M
