-- run:
local co = coroutine.create(function(a, b)
   local c = coroutine.yield(a + b)
   local d, e = coroutine.yield(c * 2)
   return d + e
end)
print(coroutine.resume(co, 1, 2)) print(coroutine.resume(co, 10)) print(coroutine.resume(co, 3, 4)) print(coroutine.resume(co)) print(coroutine.status(co))
-- LuaJIT yields across pcall, iterators and metamethods
local w = coroutine.wrap(function()
   print(pcall(function() local v = coroutine.yield("in pcall") error("after " .. v, 0) end))
   for v in function() return coroutine.yield("in iterator") end do print("loop", v) end
   print(xpcall(function() return coroutine.yield("in xpcall") end, print))
   return "end"
end)
print(w()) print(w("resume")) print(w("one")) print(w(nil)) print(w("last"))
print(coroutine.running(), coroutine.isyieldable and coroutine.isyieldable())
print(pcall(coroutine.resume, nil))
print(coroutine.resume(coroutine.create(function() error({}) end)) == false)
