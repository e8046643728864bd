-- run: run --events=1 --time=0 --verbosity=0 --helper=x --value=y
function helper() return "function" end
value = 5
function event() print(type(helper), value) end
