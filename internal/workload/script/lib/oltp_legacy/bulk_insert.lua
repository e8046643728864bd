-- Each event adds a row to a bulk insert into the thread's own table: sbtest0 and so on.

local n = 0

function prepare()
   db_connect()
   for i = 0, threads - 1 do
      print("Creating table 'sbtest" .. i .. "'...")
      db_query("CREATE TABLE IF NOT EXISTS sbtest" .. i ..
         " (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (id))")
   end
end

function cleanup()
   for i = 0, threads - 1 do
      print("Dropping table 'sbtest" .. i .. "'...")
      db_query("DROP TABLE IF EXISTS sbtest" .. i)
   end
end

function thread_init(thread_id)
   db_connect()
   db_bulk_insert_init("INSERT INTO sbtest" .. thread_id .. " VALUES")
end

function event(thread_id)
   n = n + 1
   db_bulk_insert_next("(" .. n .. "," .. n .. ")")
end

function thread_done(thread_id)
   db_bulk_insert_done()
   db_disconnect()
end
