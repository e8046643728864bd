-- run:
-- run: show
sysbench.cmdline.options = {b = {"second", 1}, a = {"first", "x"}}
sysbench.cmdline.commands = {show = {function() sysbench.cmdline.print_test_options() end}}
