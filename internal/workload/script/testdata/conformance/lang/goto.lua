-- run:
for i = 1, 3 do
   for j = 1, 3 do
      if j == 2 then goto continue end
      io.write(i, ":", j, " ")
      ::continue::
   end
end
print()
do
   local n = 0
   ::top::
   n = n + 1
   if n < 5 then goto top end
   print(n)
end
print(pcall(loadstring, "goto nowhere"))
