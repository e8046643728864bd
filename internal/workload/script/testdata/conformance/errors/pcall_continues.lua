-- run: run --events=2 --time=0 --verbosity=0
function event() print(pcall(function() error({code = 7}) end) == false, select(2, pcall(error, "text", 0))) end
