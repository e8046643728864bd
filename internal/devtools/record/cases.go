package main

// with changes a case.
type with func(*transcript)

func flags(f ...string) with { return func(t *transcript) { t.Flags = f } }
func env(e ...string) with   { return func(t *transcript) { t.Env = e } }
func setup(s ...string) with { return func(t *transcript) { t.Setup = s } }
func check(s ...string) with { return func(t *transcript) { t.Check = s } }
func stdin(s string) with    { return func(t *transcript) { t.Stdin = s } }
func file(name, text string) with {
	return func(t *transcript) { t.Files[name] = text }
}

func first(lines ...string) with {
	return func(t *transcript) {
		for _, l := range lines {
			t.First = append(t.First, mustSplit(l))
		}
	}
}

func mustSplit(line string) []string {
	args, err := splitArgs(line)
	if err != nil {
		panic(err)
	}
	return args
}

// c is a case: a name and a command line without the program, arguments with blanks in Go quotes.
func c(name, args string, more ...with) *transcript {
	t := &transcript{Name: name, As: "sysbench", Args: mustSplit(args), Files: map[string]string{}}
	for _, m := range more {
		m(t)
	}
	return t
}

// small is a short run of cpu: its numbers do not matter.
const small = " --cpu-max-prime=5 --events=2"

// rows are the checks that prepared tables have the same shape. Their contents are not compared: what sysbench
// generates before it is seeded depends on what the libraries of its process have drawn (observed: it differs
// from process to process on Debian 12).
var rows = check("SELECT TABLE_NAME, ENGINE, AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = '$DB' ORDER BY 1",
	"SELECT COUNT(*), MIN(id), MAX(id), MIN(k) >= 1, SUM(c REGEXP '^([0-9]{11}-){9}[0-9]{11}$'), SUM(pad REGEXP '^([0-9]{11}-){4}[0-9]{11}$') FROM $DB.sbtest2",
	"SHOW CREATE TABLE $DB.sbtest1")

// table is a table of known contents, for runs whose effect on it is compared.
var table = setup("CREATE TABLE sbtest1 (id INT AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', KEY k_1 (k))",
	"INSERT INTO sbtest1 SELECT seq, seq, 'c', 'pad' FROM seq_1_to_500", "CREATE TABLE sbtest2 LIKE sbtest1", "INSERT INTO sbtest2 SELECT * FROM sbtest1")

// prepare fills two small tables, the same for whoever executes it.
var prepare = first("$CONN --tables=2 --table-size=500 oltp_read_write prepare")

// cases are the command lines to record.
func cases() []*transcript {
	var all []*transcript
	for _, group := range [][]*transcript{grammarCases(), valueCases(), fileCases(), modeCases(), reportCases(), systemCases(), connectCases(), oltpCases(), errorCases()} {
		all = append(all, group...)
	}
	return all
}

func grammarCases() []*transcript {
	return []*transcript{
		c("help", "--help"),
		c("help-wins-over-version", "--version --help cpu run"),
		c("help-wins-over-unknown", "--help --bogus nosuch"),
		c("help-off", "--help=off --version"),
		c("help-third-word", "--help a b c"),
		c("version", "--version"),
		c("version-unknown", "--version --bogus=1 nosuch run"),
		c("version-third-word", "--version a b c"),
		c("third-word", "cpu run x y"),
		c("value-without-equals", "--threads 4 cpu run"),
		c("single-dash", "-t cpu run"),
		c("two-dashes", "-- cpu run"),
		c("two-dashes-alone", "--"),
		c("no-command", "cpu"),
		c("no-command-fileio", "fileio"),
		c("unknown-command", "cpu foo"),
		c("empty-command", `cpu ""`),
		c("prepare-cpu", "cpu prepare"),
		c("cleanup-mutex", "mutex cleanup"),
		c("no-version-command", "cpu version"),
		c("unknown-test", "nosuch run"),
		c("unknown-test-no-command", "nosuch"),
		c("empty-test", `"" run`),
		c("directory-as-test", "/tmp run"),
		c("lua-suffix", "oltp_read_write.lua run"),
		c("path-without-suffix", "/usr/share/sysbench/oltp_read_write run"),
		c("case-of-test", "CPU run"),
		c("unknown-option", "--bogus cpu run"),
		c("unknown-option-value", "cpu run --bogus=7"),
		c("unknown-option-case", "--Threads=2 cpu help"),
		c("unknown-option-abbreviated", "--thread=2 cpu help"),
		c("unknown-option-other-test", "--cpu-max-prime=5 memory run"),
		c("unknown-option-help", "oltp_insert --bogus help"),
		c("unknown-option-no-test", "--bogus"),
		c("unknown-option-no-command", "--bogus bulk_insert"),
		c("option-of-0.5", "--oltp-table-size=5 oltp_insert help"),
		c("bool-bad", "--histogram=maybe cpu help"),
		c("bool-empty", "--debug= cpu help"),
		c("bool-case", "--debug=ON cpu help"),
		c("bool-bad-script", "oltp_insert --skip_trx=maybe help"),
		c("bool-words", "--debug=true --validate=0 --histogram=1 --debug=false cpu help"),
		c("underscores", "--report_interval=7 --rand_seed=3 cpu --cpu_max_prime=5 --events=2 run"),
		c("dashes-for-script", "oltp_insert --table-size=5 --mysql-storage-engine=x help"),
		c("last-wins", "--threads=4 --threads=2 cpu run"+small, flags("fairness")),
		c("options-between", "--time=0 cpu --events=2 run --cpu-max-prime=5"),
		c("stdin-empty", ""),
		c("stdin-dash", "-"),
		c("stdin-dash-command", "- run"),
		c("stdin-comment", "-", stdin("-- nothing\n\n")),
		c("test-option", "--test=cpu run"+small),
		c("test-option-no-command", "--test=cpu"),
		c("test-option-and-word", "--test=cpu cpu help"),
		c("test-option-last", "cpu --test=memory help"),
		c("test-option-twice", "--test=memory --test=mutex help"),
		c("test-option-empty", "--test="),
		c("test-option-bare", "--test help"),
		c("deprecated", "--num-threads=2 --max-requests=4 --max-time=5 --cpu-max-prime=5 cpu run", flags("fairness")),
		c("deprecated-rate", "--tx-rate=1000 cpu run"+small),
		c("deprecated-default", "--num-threads=1 --max-time=0 --max-requests=0 --tx-rate=0 cpu help"),
		c("deprecated-negative", "--max-requests=-1 --tx-rate=-1 --max-time=-1 cpu help"),
		c("deprecated-wins", "--threads=8 --num-threads=2 cpu run"+small, flags("fairness")),
		c("bulk-insert-no-command", "bulk_insert"),
		c("oltp-no-command", "oltp_read_write"),
		c("oltp-no-command-unknown", "--bogus oltp_insert"),
		c("oltp-common-no-command", "oltp_common"),
		c("oltp-common-run", "oltp_common run"),
		c("oltp-common-help", "oltp_common help"),
		c("oltp-unknown-command", "oltp_read_write foo"),
		c("bulk-insert-prewarm", "bulk_insert prewarm"),
		c("help-bulk-insert", "bulk_insert help"),
		c("help-cpu", "cpu help"),
		c("help-memory", "memory help"),
		c("help-threads", "threads help"),
		c("help-mutex", "mutex help"),
		c("help-fileio", "fileio help"),
		c("help-read-write", "oltp_read_write help"),
		c("help-read-only", "oltp_read_only help"),
		c("help-write-only", "oltp_write_only help"),
		c("help-point-select", "oltp_point_select help"),
		c("help-insert", "oltp_insert help"),
		c("help-delete", "oltp_delete help"),
		c("help-update-index", "oltp_update_index help"),
		c("help-update-non-index", "oltp_update_non_index help"),
		c("help-random-points", "select_random_points help"),
		c("help-random-ranges", "select_random_ranges help"),
		c("help-quiet", "--verbosity=0 cpu help"),
	}
}

func valueCases() []*transcript {
	return []*transcript{
		c("threads-empty", "--threads= cpu run"),
		c("threads-zero", "--threads=0 --max-requests=x cpu help"),
		c("threads-text", "--threads=x cpu run"),
		c("num-threads-text", "--num-threads=x --threads=y cpu run"),
		c("time-text", "--time=1x cpu help"),
		c("time-fraction", "--time=1.5 cpu run"),
		c("events-too-large", "--events=2147483648 cpu run"),
		c("interval-trailing-blank", `"--report-interval=5 " cpu run`),
		c("interval-leading-blank", `"--report-interval= 5" cpu run`+small),
		c("interval-plus", "--report-interval=+5 cpu run"+small),
		c("interval-octal", "--report-interval=010 cpu run"+small),
		c("interval-hex", "--report-interval=0x5 cpu run"),
		c("rate-text", "--rate=x --report-interval=y cpu run"),
		c("seed-text", "--rand-seed=x cpu help"),
		c("spec-iter-text", "--rand-spec-iter=x cpu help"),
		c("spec-pct-text", "--rand-spec-pct=x --rand-spec-res=y cpu help"),
		c("spec-res-text", "--rand-spec-res=y cpu help"),
		c("pareto-text", "--rand-pareto-h=x --rand-type=pareto cpu run"+small),
		c("rand-type-unknown", "--rand-type=foo nosuch run"),
		c("rand-type-case", "--rand-type=UNIFORM cpu help"),
		c("rand-type-quiet", "--verbosity=0 --rand-type=foo cpu help"),
		c("stack-size-zero", "--thread-stack-size=0 --rand-seed=x cpu help"),
		c("stack-size-unit", "--thread-stack-size=3q cpu help"),
		c("stack-size-letters", "--thread-stack-size=3kb cpu help"),
		c("verbosity-high", "--verbosity=9 --percentile=x cpu help"),
		c("verbosity-negative", "--verbosity=-1 cpu help"),
		c("verbosity-text", "--verbosity=x3 cpu help"),
		c("verbosity-byte", "--verbosity=259 cpu help"),
		c("percentile-high", "--percentile=101 cpu run"),
		c("percentile-negative", "--percentile=-1 cpu help"),
		c("percentile-text", "--percentile=x cpu help"),
		c("histogram-percentile", "--histogram --percentile=0 cpu help"),
		c("checkpoints-text", "--report-checkpoints=a cpu run"),
		c("checkpoints-trailing", "--report-checkpoints=1x,3,-2 cpu run"),
		c("checkpoints-negative", "--report-checkpoints=1,-2 cpu run"),
		c("checkpoints-empty", "--report-checkpoints=,, cpu help"),
		c("forced-text", "--forced-shutdown=x --thread-stack-size=0 cpu help"),
		c("forced-trailing", "--forced-shutdown=2x cpu help"),
		c("forced-percent-trailing", "--forced-shutdown=5%x cpu help"),
		c("forced-text-percent", "--forced-shutdown=x% cpu help"),
		c("forced-ignored", "--forced-shutdown=x --time=0 cpu help"),
		c("endless-warning", "--time=0 --thread-stack-size=0 cpu help"),
		c("endless-quiet", "--time=0 --verbosity=1 cpu help"),
		c("cpu-prime-text", "--cpu-max-prime=x cpu run"),
		c("cpu-prime-zero", "--cpu-max-prime=0 cpu run"),
		c("cpu-prime-text-help", "--cpu-max-prime=x cpu help"),
		c("cpu-prime-text-prepare", "--cpu-max-prime=x cpu prepare"),
		c("pgsql-port-cpu", "--pgsql-port=x cpu run"+small),
		c("pgsql-port-help", "--pgsql-port=x oltp_insert help"),
		c("pgsql-port-prepare", "--pgsql-port=x oltp_insert prepare"),
		c("pgsql-port-run", "--pgsql-port=x oltp_insert run"),
		c("memory-block-odd", "--memory-block-size=3kb memory run"),
		c("memory-block-blank", `"--memory-block-size= 8" memory run`),
		c("memory-scope", "--memory-scope=x memory run"),
		c("memory-oper", "--memory-oper=x memory run"),
		c("memory-access", "--memory-access-mode=x memory run"),
	}
}

func fileCases() []*transcript {
	run := "cpu run" + small
	return []*transcript{
		c("config-missing", "--config-file=nofile cpu help"),
		c("config-directory", "--config-file=$DIR cpu help"),
		c("config-bare", "--config-file cpu help"),
		c("config-simple", "--config-file=c "+run, file("c", "threads=2\nreport-interval=7 # s\ntime= 5\n"), flags("fairness")),
		c("config-order-left", "--report-interval=3 --config-file=c "+run, file("c", "report-interval=7\n")),
		c("config-order-right", "--config-file=c --report-interval=3 "+run, file("c", "report-interval=7\n")),
		c("config-verbatim", "--config-file=c "+run, file("c", "report-interval =7\n --threads=2\n--threads=2\nREPORT-INTERVAL=2\n")),
		c("config-underscore", "--config-file=c "+run, file("c", "report_interval=7\n")),
		c("config-boolean", "--config-file=c "+run, file("c", "validate=off\n")),
		c("config-boolean-empty", "--config-file=c "+run, file("c", "validate=\n")),
		c("config-list", "--config-file=c "+run, file("c", "report-checkpoints=91 92,93 # 94\n")),
		c("config-list-empty-element", "--config-file=c "+run, file("c", "report-checkpoints=91,,92\n")),
		c("config-list-blank-comma", "--config-file=c "+run, file("c", "report-checkpoints=91 ,92\n")),
		c("config-list-comma-last", "--config-file=c "+run, file("c", "report-checkpoints=91,\n")),
		c("config-quotes", "--config-file=c "+run, file("c", "report-checkpoints=\"91\",'92'\n")),
		c("config-quotes-blank", "--config-file=c "+run, file("c", "report-checkpoints=\"91\" \"92\"3\n")),
		c("config-quotes-comma", "--config-file=c "+run, file("c", "report-checkpoints='91,92'\n")),
		c("config-quotes-rest", "--config-file=c "+run, file("c", "report-checkpoints=91 '92' 93\n")),
		c("config-quote-open", "--config-file=c "+run, file("c", "a=1\nreport-checkpoints=91, '92\nthreads=2\n")),
		c("config-quote-open-value", "--config-file=c "+run, file("c", "threads=\"2\n")),
		c("config-hash", "--config-file=c "+run, file("c", "#threads=2\nreport-checkpoints=94#5\n")),
		c("config-equals", "--config-file=c "+run, file("c", "report-checkpoints=94=5\n")),
		c("config-value-later", "--config-file=c "+run, file("c", "events=a b\n")),
		c("config-long", "--config-file=c cpu run --report-checkpoints=", file("c", "report-interval="+string(make300())+"\n")),
		c("config-test-option", "--config-file=c cpu help", file("c", "cpu-max-prime=77\n")),
		c("config-untyped", "--config-file=c --mysql-dry-run --events=1 oltp_insert run", file("c", "foo=3\nthreads =2\n")),
		c("config-untyped-again", "--config-file=c --mysql-dry-run --tables=1 oltp_insert cleanup", file("c", "=5\n")),
		c("config-deprecated", "--config-file=c "+run, file("c", "num-threads=2\n"), flags("fairness")),
		c("config-version", "--config-file=c "+run, file("c", "version=on\n")),
		c("config-nested", "--config-file=c "+run, file("c", "config-file=d\n"), file("d", "threads=9\n")),
	}
}

// make300 is a number that is longer than a line of a config file may be.
func make300() []byte {
	b := make([]byte, 300)
	for i := range b {
		b[i] = '1'
	}
	return b
}

func modeCases() []*transcript {
	return []*transcript{
		c("mode-plain", "cpu run"+small),
		c("mode-all", "--threads=2 --rate=1000 --report-interval=9 --report-checkpoints=95,91,91 --validate --rand-seed=5 --time=90 --forced-shutdown=5 cpu run"+small, flags("fairness")),
		c("mode-forced-percent", "--time=30 --forced-shutdown=20% cpu run"+small),
		c("mode-forced-empty", "--time=100 --forced-shutdown= cpu run"+small),
		c("mode-forced-zero", "--time=30 --forced-shutdown=0 cpu run"+small),
		c("mode-forced-sign", "--time=30 --forced-shutdown=% cpu run"+small),
		c("mode-forced-negative", "--time=30 --forced-shutdown=-2 cpu run"+small),
		c("mode-forced-off", "--time=30 --forced-shutdown=OFF cpu run"+small),
		c("mode-forced-no-time", "--time=0 --forced-shutdown=20 cpu run"+small),
		c("mode-seed-negative", "--rand-seed=-5 cpu run"+small),
		c("mode-debug", "--debug --rand-seed=1 cpu run"+small),
		c("mode-debug-helpers", "--debug --rate=1000 --report-interval=50 --report-checkpoints=60 cpu run"+small, flags("sets")),
		c("verbosity-5", "--verbosity=5 cpu run"+small),
		c("verbosity-4", "--verbosity=4 --threads=2 cpu run"+small, flags("fairness")),
		c("verbosity-2", "--verbosity=2 cpu run"+small),
		c("verbosity-0-histogram", "--verbosity=0 --histogram cpu run --cpu-max-prime=1000 --events=20"),
		c("distributions", "--rand-type=gaussian --rand-spec-iter=3 --rand-spec-pct=2 --rand-spec-res=50 --thread-stack-size=128K cpu run"+small),
	}
}

func reportCases() []*transcript {
	return []*transcript{
		c("report-time", "--time=1 --cpu-max-prime=2000 cpu run", flags("counts")),
		c("report-interval", "--time=3 --report-interval=1 --cpu-max-prime=2000 cpu run", flags("counts")),
		c("report-interval-threads", "--threads=4 --time=2 --report-interval=1 --percentile=99 --cpu-max-prime=2000 cpu run", flags("counts")),
		c("report-checkpoints", "--time=3 --report-checkpoints=0,1,2 --cpu-max-prime=2000 cpu run", flags("counts")),
		c("report-checkpoints-beyond", "--time=1 --report-checkpoints=5 --cpu-max-prime=2000 cpu run", flags("counts")),
		c("report-rate", "--time=2 --rate=200 --report-interval=1 --cpu-max-prime=100 cpu run", flags("counts")),
		c("report-percentile-0", "--percentile=0 cpu run"+small),
		c("report-percentile-0-interval", "--percentile=0 --time=2 --report-interval=1 --cpu-max-prime=2000 cpu run", flags("counts")),
		c("report-percentile-1", "--percentile=1 cpu run"+small),
		c("report-percentile-100", "--percentile=100 cpu run"+small),
		c("report-percentile-empty", "--percentile= cpu run"+small),
		c("report-histogram", "--histogram --cpu-max-prime=2000 --events=50 cpu run"),
		c("report-histogram-checkpoint", "--histogram --time=2 --report-checkpoints=1 --cpu-max-prime=2000 cpu run", flags("counts")),
		c("report-no-events", "--time=1 --rate=1 --rand-seed=3 --events=0 --cpu-max-prime=5 cpu run", flags("counts")),
		c("report-forced", "--time=1 --forced-shutdown=0 --cpu-max-prime=100000000 cpu run", flags("counts")),
		c("report-forced-threads", "--threads=2 --time=1 --forced-shutdown=0 --cpu-max-prime=100000000 cpu run", flags("counts")),
		c("report-debug-time", "--debug --time=1 --cpu-max-prime=2000 cpu run", flags("counts")),
		c("report-endless-events", "--time=0 --events=5 --cpu-max-prime=50 cpu run"),
	}
}

func systemCases() []*transcript {
	return []*transcript{
		c("memory-write", "memory run --memory-total-size=1M"),
		c("memory-read", "memory run --memory-total-size=1M --memory-oper=read --memory-block-size=8K"),
		c("memory-none", "memory run --memory-total-size=1M --memory-oper=none"),
		c("memory-local-rnd", "--threads=2 memory run --memory-total-size=4M --memory-scope=local --memory-access-mode=rnd"),
		c("memory-events-ignored", "--events=3 memory run --memory-total-size=1M"),
		c("memory-hugetlb-off", "memory run --memory-total-size=1M --memory-hugetlb=off"),
		c("memory-interval", "--time=2 --report-interval=1 memory run --memory-total-size=0", flags("counts")),
		c("threads", "--events=4 threads run --thread-yields=10 --thread-locks=2"),
		c("threads-many", "--threads=3 --events=9 threads run --thread-yields=5 --thread-locks=1", flags("fairness")),
		c("mutex", "mutex run --mutex-num=16 --mutex-locks=100 --mutex-loops=10"),
		c("mutex-threads", "--threads=4 mutex run --mutex-num=16 --mutex-locks=100 --mutex-loops=10"),
		c("mutex-events", "--threads=4 --events=2 mutex run --mutex-num=16 --mutex-locks=100 --mutex-loops=10", flags("counts")), // threads that end take from the limit
		c("cpu-threads-events", "--threads=3 --events=30 --cpu-max-prime=500 cpu run", flags("fairness")),
	}
}
