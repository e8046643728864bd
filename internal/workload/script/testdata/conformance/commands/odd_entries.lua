-- run: text
-- run: empty
-- run: string
sysbench.cmdline.commands = {text = {"not a function"}, empty = {}, string = "x"}
function event() end
