package main

func connectCases() []*transcript {
	return []*transcript{
		c("connect-refused", "--mysql-host=127.0.0.1 --mysql-port=1 oltp_read_write run"),
		c("connect-refused-threads", "--mysql-host=127.0.0.1 --mysql-port=1 --threads=3 oltp_read_write run", flags("sets")),
		c("connect-socket-missing", "--mysql-socket=/nonexist oltp_read_write prepare"),
		c("connect-socket-missing-threads", "--mysql-socket=/nonexist --threads=2 oltp_read_write prepare", flags("sets")),
		c("connect-socket-missing-cleanup", "--mysql-socket=/nonexist --threads=2 oltp_read_write cleanup"),
		c("connect-password", "--mysql-socket=$SOCKET --mysql-user=sbtest --mysql-password=wrong --mysql-db=$DB oltp_insert run"),
		c("connect-no-password", "--mysql-socket=$SOCKET --mysql-user=sbtest --mysql-password= --mysql-db=$DB oltp_insert run"),
		c("connect-database", "$CONN --mysql-db=nosuch oltp_insert prepare"),
		c("connect-no-hosts", "--mysql-host= oltp_read_write run"),
		c("connect-no-ports", "--mysql-port= oltp_read_write run"),
		c("connect-no-ports-prepare", "--mysql-port= oltp_read_write prepare"),
		c("connect-tcp", "--mysql-host=127.0.0.1 --mysql-port=$PORT --mysql-user=sbtest --mysql-password=$PASSWORD --mysql-db=$DB --table-size=10 oltp_insert prepare"),
		c("connect-hosts", "--mysql-host=127.0.0.1,127.0.0.1 --mysql-port=$PORT --mysql-user=sbtest --mysql-password=$PASSWORD --mysql-db=$DB --table-size=10 oltp_insert prepare"),
		c("connect-sockets-second-dead", "--mysql-socket=$SOCKET,/nonexist --mysql-user=sbtest --mysql-password=$PASSWORD --mysql-db=$DB --threads=2 oltp_insert run", setup("CREATE TABLE sbtest1 (id INT AUTO_INCREMENT PRIMARY KEY, k INT, c CHAR(120), pad CHAR(60))")),
		c("connect-compressed", "$CONN --mysql-compression --table-size=10 oltp_insert prepare"),
		c("connect-options", "$CONN --mysql-ssl=off --mysql-ssl-cipher=x --mysql-compression=off --db-debug --mysql-debug=off --table-size=10 oltp_insert prepare"),
		c("driver-unknown", "--db-driver=foo oltp_read_write prepare"),
		c("driver-unknown-run", "--db-driver=foo oltp_read_write run"),
		c("driver-unknown-cleanup", "--db-driver=foo oltp_read_write cleanup"),
		c("driver-help", "--db-driver=help oltp_read_write prepare"),
		c("driver-empty", "--db-driver= oltp_read_write run"),
		c("driver-unknown-cpu", "--db-driver=foo --db-ps-mode=bar cpu run"+small),
		c("ps-mode-unknown", "--db-ps-mode=foo oltp_read_write prepare"),
		c("ssl-mode-on-1.0", "--mysql-ssl=REQUIRED oltp_insert prepare"),
		c("pgsql-options", "--pgsql-host=x --pgsql-user=y --pgsql-password=z --pgsql-db=w --db-driver=mysql --mysql-dry-run oltp_insert run --events=1"),
	}
}

func oltpCases() []*transcript {
	run := func(name, test, more string, w ...with) *transcript {
		return c(name, "$CONN --tables=2 --table-size=500 "+more+" "+test+" run", append([]with{prepare}, w...)...)
	}
	seeded := func(name, test, more string, check with) *transcript {
		return c(name, "$CONN --tables=2 --table-size=500 "+more+" "+test+" run", table, check)
	}
	sums := check("CHECKSUM TABLE $DB.sbtest1, $DB.sbtest2")
	return []*transcript{
		c("prepare", "$CONN --tables=2 --table-size=1000 oltp_read_write prepare", rows),
		c("prepare-threads", "$CONN --tables=3 --table-size=100 --threads=3 oltp_read_write prepare", flags("sets")),
		c("prepare-no-auto-inc", "$CONN --tables=2 --table-size=100 --auto_inc=off oltp_read_write prepare", rows),
		c("prepare-insert-no-auto-inc", "$CONN --tables=2 --table-size=100 --auto_inc=off oltp_insert prepare", rows),
		c("prepare-secondary", "$CONN --tables=2 --table-size=100 --secondary oltp_read_write prepare", rows),
		c("prepare-no-index", "$CONN --tables=2 --table-size=100 --create_secondary=off oltp_read_write prepare", rows),
		c("prepare-engine", "$CONN --tables=2 --table-size=100 --mysql_storage_engine=myisam oltp_read_write prepare", rows),
		c("prepare-empty", "$CONN --tables=2 --table-size=0 oltp_read_write prepare", rows),
		c("prepare-bulk", "$CONN --tables=2 --table-size=6000 oltp_read_write prepare", rows),
		c("prepare-seed", "$CONN --tables=2 --table-size=100 --rand-seed=7 --rand-type=uniform oltp_read_write prepare", rows),
		c("prepare-points", "$CONN --tables=2 --table-size=100 select_random_points prepare", rows),
		c("prepare-variant", "$CONN --tables=2 --table-size=10 --pgsql_variant=redshift oltp_read_write prepare", rows),
		c("prepare-dry-run", "--mysql-dry-run --table-size=10 oltp_read_write prepare"),
		c("prewarm", "$CONN --tables=2 --table-size=500 oltp_read_write prewarm", prepare),
		c("cleanup", "$CONN --tables=3 oltp_read_write cleanup", prepare, check("SHOW TABLES IN $DB")),
		c("cleanup-twice", "$CONN oltp_read_write cleanup"),
		c("cleanup-points", "$CONN --tables=2 select_random_points cleanup"),
		c("cleanup-ranges", "$CONN --tables=2 select_random_ranges cleanup"),
		run("read-write", "oltp_read_write", "--events=10"),
		run("read-only", "oltp_read_only", "--events=10"),
		run("write-only", "oltp_write_only", "--events=10"),
		run("point-select", "oltp_point_select", "--events=10"),
		run("insert", "oltp_insert", "--events=10"),
		run("delete", "oltp_delete", "--events=1 --rand-seed=1"),
		run("update-index", "oltp_update_index", "--events=10"),
		run("update-non-index", "oltp_update_non_index", "--events=10"),
		run("random-points", "select_random_points", "--events=10 --random_points=3"),
		run("random-ranges", "select_random_ranges", "--events=10 --number_of_ranges=3 --delta=2"),
		run("read-write-threads", "oltp_read_write", "--threads=4 --events=40 --rand-type=uniform", flags("fairness", "others")),
		seeded("seed-read-write", "oltp_read_write", "--events=20 --rand-seed=11 --rand-type=pareto --rand-pareto-h=0.3", sums),
		seeded("seed-write", "oltp_write_only", "--events=20 --rand-seed=5", sums),
		seeded("seed-write-uniform", "oltp_update_non_index", "--events=50 --rand-seed=5 --rand-type=uniform", sums),
		seeded("seed-write-no-percentile", "oltp_write_only", "--events=20 --rand-seed=5 --percentile=0", sums),
		seeded("seed-write-gaussian", "oltp_update_index", "--events=50 --rand-seed=5 --rand-type=gaussian --rand-spec-iter=4", sums),
		seeded("seed-write-special", "oltp_update_index", "--events=50 --rand-seed=5 --rand-spec-pct=10 --rand-spec-res=50", sums),
		seeded("seed-insert", "oltp_insert", "--events=20 --rand-seed=5", sums),
		seeded("seed-insert-no-auto-inc", "oltp_insert", "--events=20 --rand-seed=5 --auto_inc=off", check("SELECT k, c, pad FROM $DB.sbtest1 WHERE c <> 'c' ORDER BY 1, 2")),
		seeded("seed-counts", "oltp_write_only", "--events=7 --rand-seed=9 --index_updates=2 --non_index_updates=3 --delete_inserts=2 --skip_trx", sums),
		run("counts", "oltp_read_write", "--events=5 --point_selects=3 --simple_ranges=2 --sum_ranges=0 --order_ranges=2 --distinct_ranges=0 --index_updates=2 --non_index_updates=0 --delete_inserts=2 --range_size=7"),
		run("counts-fraction", "oltp_read_only", "--events=5 --point_selects=2.9 --simple_ranges=abc"),
		run("skip-trx", "oltp_read_write", "--events=5 --skip_trx"),
		run("no-ranges", "oltp_read_only", "--events=5 --range_selects=off"),
		seeded("ps-disable", "oltp_read_write", "--events=10 --db-ps-mode=disable --rand-seed=3", sums),
		run("compressed", "oltp_read_write", "--events=5 --mysql-compression"),
		run("sql-intervals", "oltp_point_select", "--time=2 --report-interval=1", flags("counts")),
		run("sql-checkpoints", "oltp_read_only", "--time=2 --report-checkpoints=1", flags("counts")),
		run("sql-rate", "oltp_point_select", "--time=2 --rate=100 --report-interval=1 --threads=2", flags("counts")),
		run("sql-histogram", "oltp_read_only", "--events=10 --histogram --percentile=50"),
		run("sql-debug", "oltp_point_select", "--events=2 --debug --rand-seed=2"),
		run("sql-quiet", "oltp_point_select", "--events=2 --verbosity=2"),
		run("sql-time", "oltp_read_only", "--time=1 --threads=3", flags("counts")),
		run("db-debug", "oltp_point_select", "--events=2 --db-debug"),
		c("bulk-insert", "$CONN --events=100 bulk_insert run", first("$CONN bulk_insert prepare"), check("CHECKSUM TABLE $DB.sbtest1", "SHOW CREATE TABLE $DB.sbtest1")),
		c("bulk-insert-prepare", "$CONN --threads=2 bulk_insert prepare", check("SHOW CREATE TABLE $DB.sbtest2")),
		c("bulk-insert-any-option", "$CONN --threads=2 --anything=5 --flag bulk_insert cleanup"),
		c("bulk-insert-prepare-twice", "$CONN bulk_insert prepare", first("$CONN bulk_insert prepare")),
		c("dry-run", "--mysql-dry-run --events=3 oltp_read_write run"),
		c("dry-run-threads", "--mysql-dry-run --events=8 --threads=2 --tables=3 oltp_write_only run", flags("fairness")),
	}
}

// failing makes every third update of sbtest1 (and no other) an error; the table of the counter is not
// transactional, so that failed statements count.
func failing(code string) with {
	return setup(
		"CREATE TABLE ctl (n INT) ENGINE=MyISAM", "INSERT INTO ctl VALUES (0)",
		"CREATE TABLE sbtest1 (id INT PRIMARY KEY, k INT NOT NULL, c CHAR(120), pad CHAR(60))", "INSERT INTO sbtest1 SELECT seq, 1, '', '' FROM seq_1_to_100",
		"CREATE TRIGGER fails BEFORE UPDATE ON sbtest1 FOR EACH ROW BEGIN UPDATE ctl SET n = n + 1; IF (SELECT n FROM ctl) % 3 = 0 THEN SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = "+code+", MESSAGE_TEXT = 'on purpose'; END IF; END",
	)
}

func errorCases() []*transcript {
	broken := setup("CREATE TABLE sbtest1 (id INT PRIMARY KEY)")
	return []*transcript{
		c("error-no-table-run", "$CONN oltp_read_write run"),
		c("error-no-table-threads", "$CONN --threads=2 oltp_point_select run", flags("sets")),
		c("error-no-table-insert", "$CONN --rand-seed=1 oltp_insert run"),
		c("error-no-table-points", "$CONN select_random_points run"),
		c("error-no-table-ranges", "$CONN select_random_ranges run"),
		c("error-no-table-delete", "$CONN oltp_delete run"),
		c("error-no-table-index", "$CONN oltp_update_index run"),
		c("error-no-table-non-index", "$CONN oltp_update_non_index run"),
		c("error-no-table-write-only", "$CONN oltp_write_only run"),
		c("error-no-table-bulk", "$CONN --events=3 bulk_insert run"),
		c("error-no-table-prewarm", "$CONN oltp_read_write prewarm"),
		c("error-no-table-ps-disable", "$CONN --rand-seed=1 --db-ps-mode=disable --events=2 oltp_point_select run"),
		c("error-no-table-ps-disable-ro", "$CONN --rand-seed=1 --db-ps-mode=disable --events=2 --point_selects=0 oltp_read_only run"),
		c("error-no-column", "$CONN oltp_read_write run", broken),
		c("error-no-column-insert", "$CONN --rand-seed=1 oltp_insert run", broken),
		c("error-prepare-exists", "$CONN --table-size=10 oltp_read_write prepare", broken),
		c("error-prepare-exists-threads", "$CONN --table-size=10 --threads=2 oltp_read_write prepare", broken, flags("sets")),
		c("error-prepare-engine", "$CONN --table-size=10 --mysql_storage_engine=nosuch oltp_read_write prepare"),
		c("error-bulk-twice", "$CONN --events=5 bulk_insert run", first("$CONN bulk_insert prepare", "$CONN --events=5 bulk_insert run")),
		c("error-event", "$CONN --table-size=100 --events=20 oltp_update_index run", failing("1644")),
		c("error-event-ps-disable", "$CONN --rand-seed=1 --table-size=100 --events=20 --db-ps-mode=disable oltp_update_index run", failing("1644")),
		c("error-event-non-index", "$CONN --table-size=100 --events=20 oltp_update_non_index run", failing("1644")),
		c("error-event-write-only", "$CONN --table-size=100 --events=20 oltp_write_only run", failing("1644")),
		c("error-ignored", "$CONN --table-size=100 --events=20 --mysql-ignore-errors=1644 oltp_update_index run", failing("1644")),
		c("error-ignored-default", "$CONN --table-size=100 --events=20 oltp_update_index run", failing("1213")),
		c("error-ignored-all", "$CONN --table-size=100 --events=20 --mysql-ignore-errors=all oltp_update_index run", failing("1644")),
		c("error-ignored-none", "$CONN --table-size=100 --events=20 --mysql-ignore-errors=none oltp_update_index run", failing("1213")),
		c("error-ignored-empty", "$CONN --table-size=100 --events=20 --mysql-ignore-errors= oltp_update_index run", failing("1205")),
		c("error-ignored-debug", "$CONN --table-size=100 --events=4 --verbosity=5 oltp_update_index run", failing("1213")),
		c("error-ignored-text", "$CONN --rand-seed=1 --table-size=100 --events=20 --db-ps-mode=disable oltp_update_index run", failing("1020")),
	}
}
