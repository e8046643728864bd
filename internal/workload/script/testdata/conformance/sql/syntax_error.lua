-- run: run --events=1 --time=0 $DB
function event()
   local con = sysbench.sql.driver():connect()
   con:query("SELECT 1 FROM nowhere")
end
