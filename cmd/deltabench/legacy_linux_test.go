package main

import "testing"

// Mistakes in command lines of 0.4, a line each.
func TestBadLegacyCommandLines(t *testing.T) {
	t.Parallel()
	const call = "--test=oltp --no-defaults "
	newBadStage(t).runAll(t, []badInput{
		{name: "unknown option", args: call + "run --xyzzy=1", line: "Unknown option: --xyzzy=1 (see 'deltabench --help' and 'deltabench oltp help')", code: 1},
		{name: "typo", args: call + "run --oltp-tabel-size=4", line: "Unknown option: --oltp-tabel-size=4 (did you mean --oltp-table-size?)", code: 1},
		{name: "option of 1.0", args: call + "prepare --table-size=4", line: "Unknown option: --table-size=4 (did you mean --oltp-table-size?)", code: 1},
		{name: "boolean", args: call + "run --oltp-read-only=maybe", line: "Unknown option: --oltp-read-only=maybe (write --oltp-read-only=on or --oltp-read-only=off)", code: 1},
		{name: "not attached", args: call + "run --oltp-table-size 5", line: "--oltp-table-size: the value of an option is attached with '='; write --oltp-table-size=5", code: 1},
		{name: "no number", args: call + "run --oltp-table-size=1k", line: "Invalid value for the 'oltp_table_size' option: '1k'" + whole + "oltp-table-size=8)", code: 1},
		{name: "mode", args: call + "run --oltp-test-mode=acid", line: "FATAL: Invalid value for --oltp-test-mode: 'acid' (simple, complex, nontrx, sp)", code: 1},
		{name: "no procedure", args: call + "run --oltp-test-mode=sp", line: "FATAL: --oltp-test-mode=sp needs the name of a stored procedure: --oltp-sp-name=NAME", code: 1},
		{name: "distribution in prepare", args: call + "prepare --oltp-dist-type=zipf", line: "FATAL: Invalid value for --oltp-dist-type: 'zipf' (uniform, gaussian, special)", code: 1},
		{name: "negative size in cleanup", args: call + "cleanup --oltp-table-size=-1", line: "FATAL: Invalid value for --oltp-table-size: '-1' (0 to 2147483647)", code: 1},
		{name: "no threads", args: call + "run --num-threads=0", line: "FATAL: Invalid value for --threads: 0 (1 to 100000)", code: 1},
		{name: "negative requests", args: call + "run --max-requests=-1", line: "FATAL: Invalid value for --events: -1 (0 or more; 0 is none)", code: 1},
		{name: "seed", args: call + "run --seed-rng=x", line: "Invalid value for the 'seed_rng' option: 'x'" + whole + "seed-rng=8)", code: 1},
		{name: "loading", args: call + "prepare --load=insert", line: "FATAL: --load has no effect on 'oltp' (it is for tests that load tables)", code: 1},
		{name: "other database", args: call + "run --db-driver=pgsql", line: "FATAL: the pgsql driver is not in this version of deltabench yet; use --db-driver=mysql", code: 3},
		{name: "no command", args: call, line: "The '--test=oltp' test requires a command argument: prepare, run, cleanup or help", code: 1},
		{name: "unknown command", args: call + "prewarm", line: "Unknown command: prewarm (its commands are prepare, cleanup, run, help)", code: 1},
		{name: "name alone", args: "oltp run", line: "FATAL: Cannot find benchmark 'oltp': no such built-in test, file or module (sysbench 0.4's test is called by --test=oltp; its successor is oltp_read_write)", code: 1},
		{name: "layout", args: call + "run --compat=0.3", line: "FATAL: Invalid value for --compat: '0.3' (allowed: 1.0, 0.5, 0.4)", code: 1},
		{name: "layout for another test", args: "cpu run --compat=2", line: "FATAL: Invalid value for --compat: '2' (allowed: 1.0, 0.5, 0.4)", code: 1},
		{name: "explained", args: "explain --test=oltp --oltp-dist-iter=0", line: "FATAL: Invalid value for --oltp-dist-iter: '0' (1 to 1000)", code: 1},
		{name: "no server", args: call + "run --mysql-socket=$DIR/nosocket", line: "FATAL: failed to connect to database server!", more: []string{"FATAL: Thread initialization failed!", "Hint: there is no such socket: …"}, code: 1},
	})
}
