-- Each event adds a row to a bulk insert into the thread's own table.

local n = 0

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   con:bulk_insert_init("INSERT INTO sbtest" .. sysbench.tid + 1 .. " VALUES")
end

function event()
   n = n + 1
   con:bulk_insert_next(string.format("(%d,%d)", n, n))
end

function thread_done()
   con:bulk_insert_done()
   con:disconnect()
end

function prepare()
   local con = sysbench.sql.driver():connect()
   for i = 1, sysbench.opt.threads do
      print(string.format("Creating table 'sbtest%d'...", i))
      con:query(string.format([[
        CREATE TABLE IF NOT EXISTS sbtest%d (
          id INTEGER NOT NULL,
          k INTEGER DEFAULT '0' NOT NULL,
          PRIMARY KEY (id))]], i))
   end
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   for i = 1, sysbench.opt.threads do
      print(string.format("Dropping table 'sbtest%d'...", i))
      con:query("DROP TABLE IF EXISTS sbtest" .. i)
   end
end
