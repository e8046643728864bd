-- run: run --events=1 --time=0 --verbosity=0 --threads=1
sysbench.cmdline.options = {own = {"own", 1}}
function event()
   local names = {}
   for k, v in pairs(sysbench.opt) do
      if type(v) == "table" then v = "{" .. table.concat(v, ",") .. "}" end
      names[#names + 1] = k .. " " .. type(sysbench.opt[k]) .. " " .. tostring(v)
   end
   table.sort(names)
   print(table.concat(names, "\n"))
end
