-- What scripts of sysbench 0.5 share: options as globals, tables, prepare and cleanup.
--
-- Scripts load it by dofile(DIRECTORY .. "common.lua") or require("common"), call set_vars() in thread_init, and find the
-- options --oltp-* as globals from then on: numbers as numbers, switches as booleans. create_insert(n) makes and fills
-- table n.

-- Numbers and their defaults.
local numbers = {
   oltp_table_size = 10000,
   oltp_range_size = 100,
   oltp_tables_count = 1,
   oltp_point_selects = 10,
   oltp_simple_ranges = 1,
   oltp_sum_ranges = 1,
   oltp_order_ranges = 1,
   oltp_distinct_ranges = 1,
   oltp_index_updates = 1,
   oltp_non_index_updates = 1,
   oltp_delete_inserts = 1,
}

-- Switches: the command line says "on" or "off"; anything else is the default.
local switches = {
   oltp_range_selects = true,
   oltp_auto_inc = true,
   oltp_create_secondary = true,
   oltp_read_only = false,
   oltp_write_only = false,
   oltp_skip_trx = false,
}

function set_vars()
   for name, default in pairs(numbers) do
      _G[name] = tonumber(_G[name]) or default
   end
   for name, default in pairs(switches) do
      local v = _G[name]
      if v == "on" then
         v = true
      elseif v == "off" then
         v = false
      elseif type(v) ~= "boolean" then
         v = default
      end
      _G[name] = v
   end
   if oltp_read_only and oltp_write_only then
      error("--oltp-read-only and --oltp-write-only are mutually exclusive")
   end
end

local c_template = string.rep("###########", 10, "-")
local pad_template = string.rep("###########", 5, "-")

function get_c_value()
   return sb_rand_str(c_template)
end

function get_pad_value()
   return sb_rand_str(pad_template)
end

local mysql_table = [[
CREATE TABLE sbtest%d (
id INTEGER UNSIGNED NOT NULL%s,
k INTEGER UNSIGNED DEFAULT '0' NOT NULL,
c CHAR(120) DEFAULT '' NOT NULL,
pad CHAR(60) DEFAULT '' NOT NULL,
%s (id)
) /*! ENGINE = %s MAX_ROWS = %d */ %s]]

local pgsql_table = [[
CREATE TABLE sbtest%d (
id %s NOT NULL,
k INTEGER DEFAULT '0' NOT NULL,
c CHAR(120) DEFAULT '' NOT NULL,
pad CHAR(60) DEFAULT '' NOT NULL,
PRIMARY KEY (id)
)]]

function create_insert(table_id)
   print("Creating table 'sbtest" .. table_id .. "'...")
   if db_driver == "mysql" then
      db_query(string.format(mysql_table, table_id, oltp_auto_inc and " AUTO_INCREMENT" or "",
         oltp_secondary and "KEY xid" or "PRIMARY KEY", mysql_table_engine, myisam_max_rows, mysql_table_options or ""))
   elseif db_driver == "pgsql" then
      db_query(string.format(pgsql_table, table_id, oltp_auto_inc and "SERIAL" or "INTEGER"))
   else
      error("unknown database driver: " .. tostring(db_driver))
   end

   print("Inserting " .. oltp_table_size .. " records into 'sbtest" .. table_id .. "'")
   local columns = oltp_auto_inc and "(k, c, pad)" or "(id, k, c, pad)"
   db_bulk_insert_init("INSERT INTO sbtest" .. table_id .. columns .. " VALUES")
   for i = 1, oltp_table_size do
      local c, pad = get_c_value(), get_pad_value()
      local k = sb_rand(1, oltp_table_size)
      if oltp_auto_inc then
         db_bulk_insert_next(string.format("(%d, '%s', '%s')", k, c, pad))
      else
         db_bulk_insert_next(string.format("(%d, %d, '%s', '%s')", i, k, c, pad))
      end
   end
   db_bulk_insert_done()

   if oltp_create_secondary then
      print("Creating secondary indexes on 'sbtest" .. table_id .. "'...")
      db_query("CREATE INDEX k_" .. table_id .. " on sbtest" .. table_id .. "(k)")
   end
end

function prepare()
   set_vars()
   db_connect()
   for i = 1, oltp_tables_count do
      create_insert(i)
   end
end

function cleanup()
   set_vars()
   for i = 1, oltp_tables_count do
      print("Dropping table 'sbtest" .. i .. "'...")
      db_query("DROP TABLE IF EXISTS sbtest" .. i)
   end
end
