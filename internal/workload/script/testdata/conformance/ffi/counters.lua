-- run: run --events=2 --time=0 $DB
-- run: run --events=2 --time=0
ffi.cdef[[void sb_counter_inc(int, sb_counter_type);]]
function thread_init() if sysbench.opt.mysql_db:match("conf") then sysbench.sql.driver() end end
function event()
   ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_READ) ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_READ)
   ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_WRITE) ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_OTHER)
   ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_ERROR) ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_RECONNECT)
end
