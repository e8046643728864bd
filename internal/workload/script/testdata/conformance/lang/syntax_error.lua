-- run: run
print("never")
local x = = 3
