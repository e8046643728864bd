-- run: run --events=5 --time=0
-- run: run --events=5 --time=0 --kind=zero
-- run: run --events=5 --time=0 --kind=text
-- run: run --events=5 --time=0 --kind=false
-- run: run --events=5 --time=0 --kind=nil
local n = 0
function event()
   n = n + 1
   if n < 3 then return end
   if kind == "zero" then return 0 elseif kind == "text" then return "" elseif kind == "false" then return false elseif kind == "nil" then return nil end
   return true
end
function thread_done() print("events begun", n) end
