-- run: run --events=1 --time=0
event = setmetatable({}, {__call = function(self, id) print("called", id) end})
