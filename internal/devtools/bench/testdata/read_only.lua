-- The transaction of oltp_read_only as a script of somebody who builds statements as texts: 16 statements for each event.
-- Both clients execute this file.

sysbench.cmdline.options = {
  tables = {"Number of tables", 1},
  table_size = {"Rows of a table", 10000},
}

function thread_init()
  con = sysbench.sql.driver():connect()
  tables, size = sysbench.opt.tables, sysbench.opt.table_size
end

local function range(format, name)
  local first = sysbench.rand.default(1, size)
  con:query(string.format(format, name, first, first + 99))
end

function event()
  local name = "sbtest" .. sysbench.rand.uniform(1, tables)
  con:query("BEGIN")
  for i = 1, 10 do
    con:query("SELECT c FROM " .. name .. " WHERE id=" .. sysbench.rand.default(1, size))
  end
  range("SELECT c FROM %s WHERE id BETWEEN %d AND %d", name)
  range("SELECT SUM(k) FROM %s WHERE id BETWEEN %d AND %d", name)
  range("SELECT c FROM %s WHERE id BETWEEN %d AND %d ORDER BY c", name)
  range("SELECT DISTINCT c FROM %s WHERE id BETWEEN %d AND %d ORDER BY c", name)
  con:query("COMMIT")
end

function thread_done()
  con:disconnect()
end
