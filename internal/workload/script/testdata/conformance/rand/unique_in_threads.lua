-- run: run --threads=4 --events=400 --time=0 --verbosity=0
-- sort
-- No value repeats, whichever thread draws it.
local mine = {}
function event() mine[#mine + 1] = sysbench.rand.unique() end
function thread_done()
   local f = io.open("values", "a")
   for _, v in ipairs(mine) do f:write(v, "\n") end
   f:close()
end
function done()
   local all, n = {}, 0
   for l in io.lines("values") do all[#all + 1] = l n = n + 1 end
   table.sort(all)
   for i = 2, n do if all[i] == all[i - 1] then print("repeated", all[i]) end end
   print(n, all[1], all[n])
end
