-- Tables made by the threads of a run with one event per thread: --max-requests=THREADS.

local directory = string.match(test or "", "(.*/)")
if directory then
   dofile(directory .. "common.lua")
else
   require("common")
end

function thread_init(thread_id)
   set_vars()
   db_connect()
end

function event(thread_id)
   for i = thread_id + 1, oltp_tables_count, threads do
      create_insert(i)
   end
end
