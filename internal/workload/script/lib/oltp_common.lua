-- What the bundled OLTP tests have in common, for scripts that build on it: require("oltp_common").
--
-- A script that requires this module supplies
--   prepare_statements()  called for each thread's connection; it calls the prepare_* functions below
--   event()               one event, made of begin(), execute_*() and commit()
-- and may replace any function of the module. Globals that belong to a thread once thread_init has run:
--   drv, con              driver and connection
--   stmt, param           stmt[TABLE].KEY is a statement, param[TABLE].KEY has its parameters; stmt.begin, stmt.commit
--
-- Statements, their order and the random numbers they draw are those of the native tests (internal/workload/oltp): a script
-- sends what the native test sends under the same --rand-seed.

local uniform = sysbench.rand.uniform
local default = sysbench.rand.default
local random_string = sysbench.rand.string

-- Messages of the next two errors name their lines: 22 and 28, as people know them.

-- Somebody runs this file instead of requiring it.
function init()
   if event == nil then
      error("this script is meant to be included by other OLTP scripts and should not be called directly.")
   end
end

-- The module is of no use without a command.
if sysbench.cmdline.command == nil then
   error("Command is required. Supported commands: prepare, prewarm, run, cleanup, help")
end

-- Entries with hidden = true are accepted and not listed on the sysbench face: its version 1.0.20 did not have them.
sysbench.cmdline.options = {
   auto_inc = {"Use AUTO_INCREMENT column as Primary Key (for MySQL), or its alternatives in other DBMS. When disabled, use client-generated IDs", true},
   create_secondary = {"Create a secondary index in addition to the PRIMARY KEY", true},
   create_table_options = {"Extra CREATE TABLE options", "", hidden = true},
   delete_inserts = {"Number of DELETE/INSERT combinations per transaction", 1},
   distinct_ranges = {"Number of SELECT DISTINCT queries per transaction", 1},
   index_updates = {"Number of UPDATE index queries per transaction", 1},
   mysql_storage_engine = {"Storage engine, if MySQL is used", "innodb"},
   non_index_updates = {"Number of UPDATE non-index queries per transaction", 1},
   order_ranges = {"Number of SELECT ORDER BY queries per transaction", 1},
   pgsql_variant = {"Use this PostgreSQL variant when running with the PostgreSQL driver. The only currently supported variant is 'redshift'. When enabled, create_secondary is automatically disabled, and delete_inserts is set to 0"},
   point_selects = {"Number of point SELECT queries per transaction", 10},
   range_selects = {"Enable/disable all range SELECT queries", true},
   range_size = {"Range size for range SELECT queries", 100},
   reconnect = {"Reconnect after every N events. The default (0) is to not reconnect", 0, hidden = true},
   secondary = {"Use a secondary index in place of the PRIMARY KEY", false},
   simple_ranges = {"Number of simple range SELECT queries per transaction", 1},
   skip_trx = {"Don't start explicit transactions and execute all queries in the AUTOCOMMIT mode", false},
   sum_ranges = {"Number of SELECT SUM() queries per transaction", 1},
   table_size = {"Number of rows per table", 10000},
   tables = {"Number of tables", 1},
}

-- Random values of the columns c (119 characters) and pad (59 characters).

local c_template = string.rep("###########", 10, "-")
local pad_template = string.rep("###########", 5, "-")

function get_c_value()
   return random_string(c_template)
end

function get_pad_value()
   return random_string(pad_template)
end

-- Commands.

-- each_own_table calls f(n) for the tables of this thread: thread t of T has tables t+1, t+1+T and so on.
local function each_own_table(f)
   local threads = sysbench.opt.threads
   for n = sysbench.tid % threads + 1, sysbench.opt.tables, threads do
      f(n)
   end
end

function cmd_prepare()
   local drv = sysbench.sql.driver()
   local con = drv:connect()
   each_own_table(function(n) create_table(drv, con, n) end)
end

local preload = {
   "ANALYZE TABLE sbtest%u",
   "SELECT AVG(id) FROM (SELECT * FROM sbtest%u FORCE KEY (PRIMARY) LIMIT %u) t",
   "SELECT COUNT(*) FROM (SELECT * FROM sbtest%u WHERE k LIKE '%%0%%' LIMIT %u) t",
}

-- warm reads the tables of this thread into the server's memory. command and verb are for messages.
local function warm(command, verb)
   local drv = sysbench.sql.driver()
   local con = drv:connect()
   if drv:name() ~= "mysql" then
      error(command .. " is currently MySQL only")
   end
   con:query("SET tmp_table_size=2*1024*1024*1024")
   con:query("SET max_heap_table_size=2*1024*1024*1024")
   each_own_table(function(n)
      print(string.format("%s table sbtest%d", verb, n))
      for _, text in ipairs(preload) do
         con:query(string.format(text, n, sysbench.opt.table_size))
      end
   end)
end

function cmd_prewarm()
   warm("prewarm", "Prewarming")
end

function cmd_warmup() -- its name after 1.0
   warm("warmup", "Preloading")
end

sysbench.cmdline.commands = {
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND},
   prewarm = {cmd_prewarm, sysbench.cmdline.PARALLEL_COMMAND},
   warmup = {cmd_warmup, sysbench.cmdline.PARALLEL_COMMAND},
}

local create_text = [[
CREATE TABLE sbtest%d(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL,
  %s (id)
) %s %s]]

-- create_table creates and fills a table. It fails when the table is there.
function create_table(drv, con, table_num)
   local opt = sysbench.opt
   local id, engine
   if drv:name() == "mysql" then
      id = opt.auto_inc and "INTEGER NOT NULL AUTO_INCREMENT" or "INTEGER NOT NULL"
      engine = "/*! ENGINE = " .. opt.mysql_storage_engine .. " */"
   elseif drv:name() == "pgsql" then
      id = opt.auto_inc and "SERIAL" or "INTEGER NOT NULL"
      engine = ""
   else
      error("Unsupported database driver:" .. drv:name())
   end
   local extra = opt.create_table_options or ""
   if extra == "" then
      extra = mysql_table_options or "" -- how 1.0 scripts give them
   end

   print(string.format("Creating table 'sbtest%d'...", table_num))
   con:query(string.format(create_text, table_num, id, opt.secondary and "KEY xid" or "PRIMARY KEY", engine, extra))

   if opt.table_size > 0 then
      print(string.format("Inserting %d records into 'sbtest%d'", opt.table_size, table_num))
   end
   local columns = opt.auto_inc and "(k, c, pad)" or "(id, k, c, pad)"
   con:bulk_insert_init("INSERT INTO sbtest" .. table_num .. columns .. " VALUES")
   for i = 1, opt.table_size do
      local c, pad = get_c_value(), get_pad_value()
      local k = default(1, opt.table_size)
      if opt.auto_inc then
         con:bulk_insert_next(string.format("(%d, '%s', '%s')", k, c, pad))
      else
         con:bulk_insert_next(string.format("(%d, %d, '%s', '%s')", i, k, c, pad))
      end
   end
   con:bulk_insert_done()

   if opt.create_secondary then
      print(string.format("Creating a secondary index on 'sbtest%d'...", table_num))
      con:query(string.format("CREATE INDEX k_%d ON sbtest%d(k)", table_num, table_num))
   end
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   for n = 1, sysbench.opt.tables do
      print(string.format("Dropping table 'sbtest%d'...", n))
      con:query("DROP TABLE IF EXISTS sbtest" .. n)
   end
end

-- Statements.

local INT = sysbench.sql.type.INT
local CHAR = sysbench.sql.type.CHAR

-- For each key the text and its parameters: a type, or type and length.
local definitions = {
   point_selects = {"SELECT c FROM sbtest%u WHERE id=?", INT},
   simple_ranges = {"SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ?", INT, INT},
   sum_ranges = {"SELECT SUM(k) FROM sbtest%u WHERE id BETWEEN ? AND ?", INT, INT},
   order_ranges = {"SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c", INT, INT},
   distinct_ranges = {"SELECT DISTINCT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c", INT, INT},
   index_updates = {"UPDATE sbtest%u SET k=k+1 WHERE id=?", INT},
   non_index_updates = {"UPDATE sbtest%u SET c=? WHERE id=?", {CHAR, 120}, INT},
   deletes = {"DELETE FROM sbtest%u WHERE id=?", INT},
   inserts = {"INSERT INTO sbtest%u (id, k, c, pad) VALUES (?, ?, ?, ?)", INT, INT, {CHAR, 120}, {CHAR, 60}},
}

-- prepare_for_each_table prepares the statement of a key for all tables, with parameters bound.
function prepare_for_each_table(key)
   local def = definitions[key]
   for n = 1, sysbench.opt.tables do
      local s = con:prepare(string.format(def[1], n))
      local bound = {}
      for i = 2, #def do
         local p = def[i]
         if type(p) == "table" then
            bound[i - 1] = s:bind_create(p[1], p[2])
         else
            bound[i - 1] = s:bind_create(p)
         end
      end
      s:bind_param(unpack(bound))
      stmt[n][key], param[n][key] = s, bound
   end
end

function prepare_begin()
   stmt.begin = con:prepare("BEGIN")
end

function prepare_commit()
   stmt.commit = con:prepare("COMMIT")
end

function prepare_point_selects()
   prepare_for_each_table("point_selects")
end

function prepare_simple_ranges()
   prepare_for_each_table("simple_ranges")
end

function prepare_sum_ranges()
   prepare_for_each_table("sum_ranges")
end

function prepare_order_ranges()
   prepare_for_each_table("order_ranges")
end

function prepare_distinct_ranges()
   prepare_for_each_table("distinct_ranges")
end

function prepare_index_updates()
   prepare_for_each_table("index_updates")
end

function prepare_non_index_updates()
   prepare_for_each_table("non_index_updates")
end

function prepare_delete_inserts()
   prepare_for_each_table("deletes")
   prepare_for_each_table("inserts")
end

function close_statements()
   for n = 1, #stmt do
      for key, s in pairs(stmt[n]) do
         s:close()
         stmt[n][key] = nil
      end
   end
   for _, key in ipairs({"begin", "commit"}) do
      if stmt[key] ~= nil then
         stmt[key]:close()
         stmt[key] = nil
      end
   end
end

-- Life of a thread.

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   stmt, param = {}, {}
   for n = 1, sysbench.opt.tables do
      stmt[n], param[n] = {}, {}
   end
   prepare_statements()
end

function thread_done()
   close_statements()
   con:disconnect()
end

-- A lost connection loses its statements.
local lost = {[2006] = true, [2011] = true, [2013] = true, [2055] = true}

function sysbench.hooks.before_restart_event(err)
   if lost[err.sql_errno] then
      close_statements()
      prepare_statements()
   end
end

local events = 0 -- of this thread since it connected

-- check_reconnect makes a new connection after every --reconnect events, when an event calls it as its last step.
function check_reconnect()
   local every = sysbench.opt.reconnect or 0
   if every > 0 then
      events = events + 1
      if events % every == 0 then
         close_statements()
         con:reconnect()
         prepare_statements()
      end
   end
end

-- Parts of events. Each draws its table first, once for all its statements, then the values of a statement.

local function random_table()
   return uniform(1, sysbench.opt.tables)
end

local function random_id()
   return default(1, sysbench.opt.table_size)
end

function begin()
   stmt.begin:execute()
end

function commit()
   stmt.commit:execute()
end

function execute_point_selects()
   local n = random_table()
   for _ = 1, sysbench.opt.point_selects do
      param[n].point_selects[1]:set(random_id())
      stmt[n].point_selects:execute()
   end
end

local function execute_ranges(key)
   local n = random_table()
   local p, s = param[n][key], stmt[n][key]
   for _ = 1, sysbench.opt[key] do
      local id = random_id()
      p[1]:set(id)
      p[2]:set(id + sysbench.opt.range_size - 1)
      s:execute()
   end
end

function execute_simple_ranges()
   execute_ranges("simple_ranges")
end

function execute_sum_ranges()
   execute_ranges("sum_ranges")
end

function execute_order_ranges()
   execute_ranges("order_ranges")
end

function execute_distinct_ranges()
   execute_ranges("distinct_ranges")
end

function execute_index_updates()
   local n = random_table()
   for _ = 1, sysbench.opt.index_updates do
      param[n].index_updates[1]:set(random_id())
      stmt[n].index_updates:execute()
   end
end

function execute_non_index_updates()
   local n = random_table()
   for _ = 1, sysbench.opt.non_index_updates do
      param[n].non_index_updates[1]:set_rand_str(c_template)
      param[n].non_index_updates[2]:set(random_id())
      stmt[n].non_index_updates:execute()
   end
end

function execute_delete_inserts()
   local n = random_table()
   for _ = 1, sysbench.opt.delete_inserts do
      local id, k = random_id(), random_id()
      local row = param[n].inserts
      param[n].deletes[1]:set(id)
      row[1]:set(id)
      row[2]:set(k)
      row[3]:set_rand_str(c_template)
      row[4]:set_rand_str(pad_template)
      stmt[n].deletes:execute()
      stmt[n].inserts:execute()
   end
end
