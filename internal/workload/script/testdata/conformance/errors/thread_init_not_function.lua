-- run: run --events=1 --time=0
thread_init = "x"
function event() end
