-- run: prepare
-- run: cleanup
-- run: help
function prepare() error("prepare fails") end
function cleanup() local x; x.y = 1 end
function help() error({}) end
