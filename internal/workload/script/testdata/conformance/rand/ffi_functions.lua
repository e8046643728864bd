-- run:
local C = ffi.C
print(C.sb_rand_uniform(1, 100), C.sb_rand_default(1, 100), C.sb_rand_gaussian(1, 100), C.sb_rand_special(1, 100), C.sb_rand_pareto(1, 100), C.sb_rand_unique())
print(C.sb_rand_uniform_uint64(), C.sb_rand_uniform_double())
local buf = ffi.new("char[?]", 8)
C.sb_rand_str("##@@", buf)
print(ffi.string(buf), #ffi.string(buf))
