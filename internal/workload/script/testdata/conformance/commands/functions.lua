-- run: prepare
-- run: cleanup
-- run: help
-- run: prepare --threads=4
function prepare(...) print("prepare", select("#", ...), sysbench.tid, sysbench.opt.threads) return false end
function cleanup() print("cleanup") end
function help() print("own help") end
