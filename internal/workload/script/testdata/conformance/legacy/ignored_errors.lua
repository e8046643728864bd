-- run: run --events=2 --time=0 $DB --mysql-ignore-errors=1146
local n = 0
function event()
   n = n + 1
   print("attempt", n)
   if n < 3 then db_query("SELECT * FROM missing") end
end
