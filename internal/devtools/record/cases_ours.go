package main

// asDeltabench calls the program by its own name.
func asDeltabench(t *transcript) { t.As = "deltabench" }

// ours are command lines of our own face, and of the sysbench face with our options. Their transcripts are
// what our program printed when somebody looked at it; `go test ./internal/devtools/record -update` rewrites
// them.
func ours() []*transcript {
	d := func(name, args string, more ...with) *transcript {
		return c(name, args, append([]with{asDeltabench}, more...)...)
	}
	lua := file("oltp_insert.lua", "function event() end\n")
	return []*transcript{
		d("version", "--version"),
		d("help", "--help"),
		d("help-test", "oltp_read_write help"),
		d("no-test-command", "oltp_insert"),
		d("no-command-cpu", "cpu"),
		d("dash-en", "\u2013threads=4 oltp_insert run"),
		d("dash-em", "oltp_insert \u2014threads=4 run"),
		d("dash-en-sysbench", "\u2013threads=4 oltp_insert run", func(t *transcript) { t.As = "sysbench" }),
		d("value-without-equals", "--threads 4 oltp_insert run"),
		d("lua-file", "./x.lua run", file("x.lua", "function event() end\n")),
		d("lua-module", "dir.x run", file("dir/x.lua", "function event() end\n")),
		d("lua-shadows", "oltp_insert run", lua),
		d("lua-shadows-directory", "--mysql-dry-run oltp_insert cleanup", file("oltp_insert/x", "")),
		d("lua-path", "oltp_insert run", env("LUA_PATH=$DIR/lib/?.lua"), file("lib/oltp_insert.lua", "x\n")),
		d("lua-path-later", "--mysql-dry-run oltp_insert cleanup", env("LUA_PATH=/usr/share/sysbench/?.lua;lib/?.lua"), file("lib/oltp_insert.lua", "x\n")),
		d("lua-stdin", "", stdin("print(1)\n")),
		d("bundled-by-path", "--mysql-dry-run /usr/share/sysbench/oltp_insert.lua cleanup"),
		d("fileio", "fileio prepare"),
		d("fileio-run", "--file-test-mode=rndrd fileio run"),
		d("pgsql", "--db-driver=pgsql oltp_insert run"),
		d("engine-unknown", "--engine=fast oltp_insert run"),
		d("loops-negative", "--loops=-1 oltp_insert run"),
		d("warmup-negative", "--warmup-time=-1 oltp_insert run"),
		d("init-timeout-zero", "--thread-init-timeout=0 oltp_insert run"),
		d("overflow-unknown", "--rate-overflow=x oltp_insert run"),
		d("latency-by-unknown", "--latency-by=x oltp_insert run"),
		d("interval-style-unknown", "--interval-style=x oltp_insert run"),
		d("report-unknown", "--report=xml cpu run"),
		d("report-file-unclear", "--report-file=x cpu run"),
		d("report-text-to-file", "--report=text --report-file=x cpu run"),
		d("report-directory-missing", "--report-file=none/x.json cpu run"),
		d("zipfian-negative", "--rand-type=zipfian --rand-zipfian-exp=-1 oltp_insert run"),
		d("percentile-list-bad", "--percentile=50,x oltp_insert run"),
		d("percentile-list-high", "--percentile=50,101 oltp_insert run"),
		d("ssl-unknown", "--mysql-ssl=x oltp_insert cleanup"),
		d("ssl-ca-missing", "$CONN --mysql-ssl=verify_ca --mysql-ssl-ca=nofile oltp_insert cleanup"),
		d("compression-unknown", "--mysql-compression --mysql-compression-algorithms=lz4 oltp_insert cleanup"),
		d("password-file", "--mysql-socket=$SOCKET --mysql-user=sbtest --mysql-db=$DB --mysql-password-file=pw oltp_insert cleanup", file("pw", "wrong\n")),
		d("password-file-missing", "--mysql-password-file=nofile oltp_insert cleanup"),
		d("defaults-file", "--mysql-socket=$SOCKET --mysql-db=$DB --defaults-file=my.cnf --defaults-group-suffix=-2 oltp_insert cleanup", file("my.cnf", "[client]\nuser=sbtest\npassword=wrong\n[client-2]\npassword=\"pw\" # the right one\nsocket=nosock\n")),
		d("defaults-file-missing", "--defaults-file=nofile oltp_insert cleanup"),
		d("defaults-file-bad", "--defaults-extra-file=my.cnf oltp_insert cleanup", file("my.cnf", "password=Zecret\n")),
		d("defaults-file-port", "--defaults-file=my.cnf oltp_insert cleanup", file("my.cnf", "[client]\nport=x\n")),
		d("defaults-conflict", "--defaults-file=my.cnf --no-defaults oltp_insert cleanup"),
		d("password-env", "--mysql-socket=$SOCKET --mysql-user=sbtest --mysql-db=$DB oltp_insert cleanup", env("MYSQL_PWD=$PASSWORD")),
		d("run", "$CONN --tables=2 --table-size=500 --events=5 oltp_read_write run", table),
		d("run-options", "$CONN --tables=2 --table-size=500 --events=5 --engine=goroutine --loops=1 --thread-init-timeout=20 --luajit-cmd=off --rand-type=zipfian --rand-zipfian-exp=0.9 --mysql-compression --mysql-compression-algorithms=zlib --mysql-ssl-key= --mysql-ssl-ca= --mysql-ssl-cert= --pgsql-sslmode=disable oltp_read_only run", table),
		d("run-clear", "$CONN --tables=2 --table-size=500 --time=2 --report-interval=1 --interval-style=clear oltp_point_select run", table, flags("counts")),
		d("run-percentiles", "$CONN --tables=2 --table-size=500 --events=5 --percentile=50,99 --report-extra=off oltp_point_select run", table),
		d("run-by-statement", "$CONN --tables=2 --table-size=500 --events=5 --latency-by=statement --percentile=99 --report-extra=off oltp_read_write run", table),
		d("run-errors", "$CONN --table-size=100 --events=20 oltp_update_index run", failing("1213")),
		d("run-error", "$CONN --table-size=100 --events=20 oltp_update_index run", failing("1644")),
		d("run-rate", "$CONN --tables=2 --table-size=500 --time=1 --rate=50 oltp_point_select run", table, flags("counts")),
		d("run-warmup", "$CONN --tables=2 --table-size=500 --time=2 --warmup-time=1 --report-interval=1 oltp_point_select run", table, flags("counts")),
		d("run-reconnect", "$CONN --tables=2 --table-size=500 --events=10 --reconnect=5 --report-extra=off oltp_point_select run", table),
		d("prepare-options", "$CONN --table-size=10 --create_table_options=COMMENT='x' oltp_insert prepare", check("SHOW CREATE TABLE $DB.sbtest1")),
		d("prepare-insert", "$CONN --table-size=10 --load=insert --load-index=before --rand-seed=7 oltp_insert prepare", check("SELECT * FROM $DB.sbtest1")),
		d("prepare-exists", "$CONN --table-size=10 --threads=2 oltp_insert prepare", setup("CREATE TABLE sbtest1 (id INT)")),
		d("prepare-load-unknown", "$CONN --load=fast oltp_insert prepare"),
		d("prepare-resume-as-sysbench", "$CONN --load=sysbench --resume oltp_insert prepare"),
		d("resume-run", "$CONN --resume oltp_insert run"),
		d("prepare-fails-in-threads", "$CONN --table-size=10 --threads=2 --load=sysbench oltp_insert prepare", setup("CREATE TABLE sbtest1 (id INT)"), flags("sets")),
		d("warmup-command", "$CONN --table-size=500 oltp_read_write warmup", table),
		c("our-options-as-sysbench", "$CONN --tables=2 --table-size=500 --events=5 --report-extra --report-errors=on --rate-overflow=backlog oltp_read_write run", table),
		c("warmup-as-sysbench", "$CONN --tables=2 --table-size=500 --time=2 --warmup-time=1 --report-interval=1 oltp_point_select run", table, flags("counts")),
		c("report-unknown-as-sysbench", "--report=xml cpu run"),
		c("unknown-as-sysbench", "--report-extras oltp_insert run"),
	}
}
