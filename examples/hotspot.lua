-- One row that every thread updates, as a script of sysbench 0.5. It runs unchanged on 0.5, 1.0 (with 0.5's common.lua beside it) and
-- deltabench:
--
--   sysbench --test=hotspot.lua --oltp-table-size=100 prepare
--   sysbench --test=hotspot.lua --num-threads=64 --max-time=60 --max-requests=0 --oltp-tables-count=1 run
--
-- common.lua is the one beside this file, or where there is none the one that comes with the program.

pathtest = string.match(test, "(.*/)")
if pathtest then
   dofile(pathtest .. "common.lua")
else
   require("common")
end

function thread_init(thread_id)
   set_vars()
end

function event(thread_id)
   local table_name = "sbtest" .. sb_rand_uniform(1, oltp_tables_count)
   db_query("begin")
   db_query("update /*+commit_on_success rollback_on_fail target_affect_row(1) */ " .. table_name .. " SET k=k+1 WHERE id=100")
   db_query("commit")
end
