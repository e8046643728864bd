-- run: run
function init() print("init") end
