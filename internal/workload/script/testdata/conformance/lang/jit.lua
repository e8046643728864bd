-- run:
print(type(jit), jit.version:match("^LuaJIT 2%.1") ~= nil, jit.version_num >= 20100, jit.os, jit.arch)
jit.off() jit.on() jit.flush()
print(type(jit.status), _VERSION, ffi.os, ffi.arch, require("ffi") == ffi)
