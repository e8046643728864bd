-- run: run --events=2 --time=0 --verbosity=0
function init() print("init", sysbench.tid, sysbench.opt.threads) end
function thread_init(id) print("thread_init", id, thread_id, sysbench.tid) end
function event(id) print("event", id) end
function thread_done(id) print("thread_done", id) end
function done() print("done") end
function prepare() print("never") end
