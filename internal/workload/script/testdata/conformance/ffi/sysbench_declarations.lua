-- run: run --events=1 --time=0 --verbosity=0
ffi.cdef[[void sb_counter_inc(int, sb_counter_type); uint64_t sb_counter_val(int, int);]]
print(ffi.C.SB_CNT_OTHER, ffi.C.SB_CNT_READ, ffi.C.SB_CNT_WRITE, ffi.C.SB_CNT_TRX, ffi.C.SB_CNT_ERROR, ffi.C.SB_CNT_RECONNECT, ffi.C.SB_CNT_MAX)
print(ffi.sizeof("sql_bind") > 0, ffi.sizeof("sql_value") > 0, tostring(ffi.typeof("sql_connection")), tostring(ffi.typeof("sb_counter_type")))
function event()
   for i = 0, 5 do ffi.C.sb_counter_inc(sysbench.tid, i) end
   ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_READ)
   for i = 0, 5 do io.write(tostring(ffi.C.sb_counter_val(sysbench.tid, i)), " ") end print()
end
