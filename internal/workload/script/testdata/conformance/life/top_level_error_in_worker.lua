-- run: run --threads=1
if sysbench.opt == nil and states == nil then
   local f = io.open("count", "a") f:write("x") f:close()
   if io.open("count"):seek("end") > 1 then error("second state fails") end
end
function event() end
