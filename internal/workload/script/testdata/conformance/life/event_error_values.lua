-- run: run --events=5 --time=0
-- run: run --events=5 --time=0 --kind=number
-- run: run --events=5 --time=0 --kind=nil
-- run: run --events=5 --time=0 --kind=object
function event()
   if kind == "number" then error(42) end
   if kind == "nil" then error(nil) end
   if kind == "object" then error(setmetatable({}, {__tostring = function() return "an object" end})) end
   error({text = "a table"})
end
