-- One point select.

require("oltp_common")

function prepare_statements()
   sysbench.opt.point_selects = 1 -- whatever the user says
   prepare_point_selects()
end

function event()
   execute_point_selects()
   check_reconnect()
end
