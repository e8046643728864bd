-- Updates of an indexed column, each a transaction of its own.

require("oltp_common")

function prepare_statements()
   prepare_index_updates()
end

function event()
   execute_index_updates()
   check_reconnect()
end
