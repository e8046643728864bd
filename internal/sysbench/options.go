package sysbench

import (
	"strconv"
	"time"

	"deltabench/internal/engine"
	"deltabench/internal/option"
	"deltabench/internal/workload/load"
)

// Defaults that are not sysbench's.
const (
	defaultInitTimeout = "30" // seconds; fixed in 1.0.20
	overflowAbort      = "abort"
	overflowBacklog    = "backlog"
)

// optionTables are all options that are not a test's, for one face.
type optionTables struct {
	general, random, log, logMore, db, mysql, pgsql []option.Spec
	ours                                            []option.Spec // additions, parsed after a test's own options
}

// first returns the options of the first pass, in the order in which a script sees them.
func (t optionTables) first() []option.Spec {
	var all []option.Spec
	for _, specs := range [][]option.Spec{t.general, t.random, t.log, t.logMore, t.db, t.mysql, t.pgsql} {
		all = append(all, specs...)
	}
	return all
}

// later marks options of sysbench's development branch and ours: listed on our face only.
func later(face Face, s option.Spec) option.Spec {
	s.Hidden = face == FaceSysbench
	return s
}

// tables returns the options of a face. Names, descriptions, types, defaults and their order are an
// interface: scripts parse help.
func tables(face Face) optionTables {
	t := optionTables{
		general: []option.Spec{
			{Name: "threads", Desc: "number of threads to use", Type: option.Int, Default: "1"},
			{Name: "events", Desc: "limit for total number of events", Type: option.Int, Default: "0"},
			{Name: "time", Desc: "limit for total execution time in seconds", Type: option.Int, Default: "10"},
			{Name: "forced-shutdown", Desc: "number of seconds to wait after the --time limit before forcing shutdown, or 'off' to disable", Type: option.String, Default: "off"},
			{Name: "thread-stack-size", Desc: "size of stack per thread", Type: option.Size, Default: "64K"},
			{Name: "rate", Desc: "average transactions rate. 0 for unlimited rate", Type: option.Int, Default: "0"},
			{Name: "report-interval", Desc: "periodically report intermediate statistics with a specified interval in seconds. 0 disables intermediate reports", Type: option.Int, Default: "0"},
			{Name: "report-checkpoints", Desc: "dump full statistics and reset all counters at specified points in time. The argument is a list of comma-separated values representing the amount of time in seconds elapsed from start of test when report checkpoint(s) must be performed. Report checkpoints are off by default.", Type: option.List, Default: ""},
			{Name: "debug", Desc: "print more debugging info", Type: option.Bool, Default: "off"},
			{Name: "validate", Desc: "perform validation checks where possible", Type: option.Bool, Default: "off"},
			{Name: "help", Desc: "print help and exit", Type: option.Bool, Default: "off"},
			{Name: "version", Desc: "print version and exit", Type: option.Bool, Default: "off"},
			{Name: "config-file", Desc: "File containing command line options", Type: option.File, NoDefault: true},
			{Name: "tx-rate", Desc: "deprecated alias for --rate", Type: option.Int, Default: "0", Deprecated: "rate"},
			{Name: "max-requests", Desc: "deprecated alias for --events", Type: option.Int, Default: "0", Deprecated: "events"},
			{Name: "max-time", Desc: "deprecated alias for --time", Type: option.Int, Default: "0", Deprecated: "time"},
			{Name: "num-threads", Desc: "deprecated alias for --threads", Type: option.Int, Default: "1", Deprecated: "threads"},
		},
		random: []option.Spec{
			{Name: "rand-type", Desc: "random numbers distribution {uniform,gaussian,special,pareto}", Type: option.String, Default: "special"},
			{Name: "rand-spec-iter", Desc: "number of iterations used for numbers generation", Type: option.Int, Default: "12"},
			{Name: "rand-spec-pct", Desc: "percentage of values to be treated as 'special' (for special distribution)", Type: option.Int, Default: "1"},
			{Name: "rand-spec-res", Desc: "percentage of 'special' values to use (for special distribution)", Type: option.Int, Default: "75"},
			{Name: "rand-seed", Desc: "seed for random number generator. When 0, the current time is used as a RNG seed.", Type: option.Int, Default: "0"},
			{Name: "rand-pareto-h", Desc: "parameter h for pareto distribution", Type: option.Double, Default: "0.2"},
		},
		log: []option.Spec{
			{Name: "verbosity", Desc: "verbosity level {5 - debug, 0 - only critical messages}", Type: option.Int, Default: "3"},
		},
		logMore: []option.Spec{
			{Name: "percentile", Desc: "percentile to calculate in latency statistics (1-100). Use the special value of 0 to disable percentile calculations", Type: option.Int, Default: "95"},
			{Name: "histogram", Desc: "print latency histogram in report", Type: option.Bool, Default: "off"},
		},
		db: []option.Spec{
			{Name: "db-driver", Desc: "specifies database driver to use ('help' to get list of available drivers)", Type: option.String, Default: "mysql"},
			{Name: "db-ps-mode", Desc: "prepared statements usage mode {auto, disable}", Type: option.String, Default: "auto"},
			{Name: "db-debug", Desc: "print database-specific debug information", Type: option.Bool, Default: "off"},
		},
		mysql: []option.Spec{
			{Name: "mysql-host", Desc: "MySQL server host", Type: option.List, Default: "localhost"},
			{Name: "mysql-port", Desc: "MySQL server port", Type: option.List, Default: "3306"},
			{Name: "mysql-socket", Desc: "MySQL socket", Type: option.List, NoDefault: true},
			{Name: "mysql-user", Desc: "MySQL user", Type: option.String, Default: "sbtest"},
			{Name: "mysql-password", Desc: "MySQL password", Type: option.String, Default: ""},
			{Name: "mysql-db", Desc: "MySQL database name", Type: option.String, Default: "sbtest"},
			{Name: "mysql-ssl", Desc: "use SSL connections, if available in the client library", Type: option.Bool, Default: "off"},
			{Name: "mysql-ssl-cipher", Desc: "use specific cipher for SSL connections", Type: option.String, Default: ""},
			{Name: "mysql-compression", Desc: "use compression, if available in the client library", Type: option.Bool, Default: "off"},
			{Name: "mysql-debug", Desc: "trace all client library calls", Type: option.Bool, Default: "off"},
			{Name: "mysql-ignore-errors", Desc: `list of errors to ignore, or "all"`, Type: option.List, Default: "1213,1020,1205"},
			{Name: "mysql-dry-run", Desc: "Dry run, pretend that all MySQL client API calls are successful without executing them", Type: option.Bool, Default: "off"},
		},
		pgsql: []option.Spec{
			{Name: "pgsql-host", Desc: "PostgreSQL server host", Type: option.String, Default: "localhost"},
			{Name: "pgsql-port", Desc: "PostgreSQL server port", Type: option.Int, Default: "5432"},
			{Name: "pgsql-user", Desc: "PostgreSQL user", Type: option.String, Default: "sbtest"},
			{Name: "pgsql-password", Desc: "PostgreSQL password", Type: option.String, Default: ""},
			{Name: "pgsql-db", Desc: "PostgreSQL database name", Type: option.String, Default: "sbtest"},
		},
	}
	if face == FaceDeltabench {
		t.adapt()
	}
	t.ours = ours(face)
	return t
}

// adapt changes what our face spells differently.
func (t *optionTables) adapt() {
	replace := func(specs []option.Spec, with option.Spec) {
		for i := range specs {
			if specs[i].Name == with.Name {
				specs[i] = with
			}
		}
	}
	replace(t.general, option.Spec{Name: "forced-shutdown", Desc: "number of seconds to wait after the --time limit before running events are interrupted, a percentage of --time such as 20%, or 'off' to wait for ever", Type: option.String, Default: strconv.Itoa(int(engine.DefaultGrace / time.Second))})
	replace(t.random, option.Spec{Name: "rand-type", Desc: "random numbers distribution {uniform,gaussian,special,pareto,zipfian}", Type: option.String, Default: "special"})
	replace(t.logMore, option.Spec{Name: "percentile", Desc: "percentile to calculate in latency statistics (1-100), or a list such as 50,95,99.9: 95 if it is among them, else the last, is that of interval lines and of the standard report. Use the special value of 0 to disable percentile calculations", Type: option.Int, Default: "95"})
	replace(t.mysql, option.Spec{Name: "mysql-ssl", Desc: "TLS mode {disabled,preferred,required,verify_ca,verify_identity}; on means required", Type: option.String, Default: "disabled", Bare: "on"})
	replace(t.mysql, option.Spec{Name: "mysql-password", Desc: "MySQL password; without a value it is asked for", Type: option.String, Default: "", Bare: askMark})
}

// ours are the options of sysbench's development branch and deltabench's own.
func ours(face Face) []option.Spec {
	extra, overflow, loading := "on", overflowBacklog, string(load.Auto)
	preflight := "on"
	if face == FaceSysbench {
		preflight = "off"
		extra, overflow, loading = "off", overflowAbort, loadSysbench
	}
	specs := []option.Spec{
		{Name: "warmup-time", Desc: "run this many seconds before measuring starts, in addition to --time", Type: option.Int, Default: "0"},
		{Name: "thread-init-timeout", Desc: "seconds within which all threads must be initialised", Type: option.Int, Default: defaultInitTimeout},
		{Name: "rand-zipfian-exp", Desc: "exponent of the zipfian distribution", Type: option.Double, Default: "0.8"},
		{Name: "mysql-ssl-key", Desc: "client key (PEM file)", Type: option.String, Default: ""},
		{Name: "mysql-ssl-ca", Desc: "certificates of authorities to trust (PEM file)", Type: option.String, Default: ""},
		{Name: "mysql-ssl-cert", Desc: "client certificate (PEM file)", Type: option.String, Default: ""},
		{Name: "mysql-compression-algorithms", Desc: "compression to offer {zlib,zstd}, with --mysql-compression", Type: option.String, Default: "zlib"},
		{Name: "mysql-password-file", Desc: "read the MySQL password from the first line of this file; the environment variable MYSQL_PWD works as well", Type: option.String, Default: ""},
		{Name: "mysql-init-sql", Desc: "SQL that every connection begins with, also after a reconnect; several statements with semicolons", Type: option.String, Default: ""},
		{Name: "defaults-file", Desc: "read only this option file of the MySQL client", Type: option.String, Default: ""},
		{Name: "defaults-extra-file", Desc: "read this option file after those for all users", Type: option.String, Default: ""},
		{Name: "defaults-group-suffix", Desc: "also read the groups of option files that end in this suffix", Type: option.String, Default: ""},
		{Name: "no-defaults", Desc: "read no option files", Type: option.Bool, Default: "off"},
		{Name: "preflight", Desc: "compare the limits of server and client with what the run needs before it starts", Type: option.Bool, Default: preflight},
		{Name: "no-preflight", Desc: "start whatever the limits are", Type: option.Bool, Default: "off"},
		{Name: "preflight-only", Desc: "compare the limits with what the run needs, and end: 0 when it can start, 5 when not", Type: option.Bool, Default: "off"},
		{Name: "pgsql-sslmode", Desc: "PostgreSQL TLS mode {disable,allow,prefer,require,verify-ca,verify-full}", Type: option.String, Default: "prefer"},
		{Name: "luajit-cmd", Desc: "accepted for compatibility: there is no LuaJIT to control", Type: option.String, NoDefault: true},
		{Name: "engine", Desc: "how threads are executed {auto,loop,goroutine}", Type: option.String, Default: "auto"},
		{Name: "loops", Desc: "number of event loops. 0 chooses from CPUs and threads", Type: option.Int, Default: "0"},
		{Name: "target", Desc: "start a server for this command {embedded}: nothing to install, nothing stays; for seeing and tests", Type: option.String, Default: ""},
		{Name: "rate-overflow", Desc: "what happens when arrivals under --rate outrun the threads {backlog,abort}", Type: option.String, Default: overflow},
		{Name: "load", Desc: "how prepare fills tables {auto,infile,insert,sysbench}: LOAD DATA LOCAL INFILE, INSERT statements, or as sysbench does", Type: option.String, Default: loading},
		{Name: "load-index", Desc: "when prepare creates the secondary index {after,before} the rows", Type: option.String, Default: "after"},
		{Name: "resume", Desc: "let prepare go on with an interrupted load", Type: option.Bool, Default: "off"},
		{Name: "latency-by", Desc: "report latency by {statement} as well", Type: option.String, Default: ""},
		{Name: "interval-style", Desc: "interval lines as sysbench prints them, or spelled out for people {sysbench,clear}", Type: option.String, Default: "sysbench"},
		{Name: "report-extra", Desc: "print what sysbench's report does not tell: end, percentiles, errors by code, transport, limits of the client", Type: option.Bool, Default: extra},
		{Name: "report-errors", Desc: "print errors by code with the first message of each", Type: option.Bool, Default: extra},
	}
	specs = append(append(specs, compatSpec), reportSpecs()...)
	if face == FaceDeltabench {
		specs = append(specs, recordSpecs()...)
	}
	for i := range specs {
		specs[i] = later(face, specs[i])
	}
	return specs
}

// builtin describes a test that sysbench has compiled in.
type builtin struct{ name, desc string }

// builtins are the compiled-in tests in the order of help. A command is mandatory for them and they win over files.
var builtins = []builtin{
	{"fileio", "File I/O test"},
	{"cpu", "CPU performance test"},
	{"memory", "Memory functions speed test"},
	{"threads", "Threads subsystem performance test"},
	{"mutex", "Mutex performance test"},
}

func isBuiltin(name string) bool {
	for _, b := range builtins {
		if b.name == name {
			return true
		}
	}
	return false
}
