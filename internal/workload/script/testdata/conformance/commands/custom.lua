-- run: hello
-- run: hello --threads=3
-- run: fails
-- run: nothing
-- run: raises
-- run: missing
sysbench.cmdline.commands = {
   hello = {function(...) print("hello", sysbench.tid, select("#", ...), sysbench.opt.threads, sysbench.cmdline.command) return true end},
   fails = {function() print("returns false") return false end},
   nothing = {function() return nil end},
   raises = {function() error("on purpose") end},
}
