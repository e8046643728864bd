function set_vars() oltp_tables_count = tonumber(oltp_tables_count) or 1 end
