//go:build linux

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/nullserver"
	"deltabench/internal/store"
	"deltabench/internal/wire"
)

// badInput is something that a stranger, a newcomer or an attacker would type, and what must come of it.
type badInput struct {
	name string
	args string // separated by blanks; $NAME is replaced: see replace. '' is an empty argument
	// line must be printed once, as a whole line, on stdout or stderr; $NAME is replaced, … stands for anything.
	line string
	// more are further lines. Without them, line is the only one beside the header. With them others may be there too:
	// what sysbench's contract has, such as the mode block and a FATAL line for each level.
	more  []string
	code  int
	files map[string]string // created in the working directory
	stdin string
	shell string // executes "$BIN" "$@" in its own way
	env   []string
	lost  bool // standard output is not there to be read
}

// embeddedStudy is a study file that needs no server.
const embeddedStudy = "study: a\ntargets: [{name: e, embedded: {}}]\ndata: {workload: oltp_read_only}\nworkloads: [oltp_point_select]\nthreads: [1]\naa: true\nscenarios: [{name: x, baseline: true}]\n"

// startRun is what a run says that fails when it opens its first connection.
func startRun(target, failure string) []string {
	return []string{
		"FATAL: unable to connect to MySQL server on " + target + ", aborting...",
		"FATAL: error " + failure,
		"FATAL: `thread_init' function failed: connection creation failed",
		"FATAL: Thread initialization failed!",
	}
}

const (
	oltpRun = "oltp_read_write run --time=1 --no-defaults "
	prepare = "oltp_read_write prepare --no-defaults "
	whole   = " (a whole number without unit or fraction, as in --"
	// existsHint is told once, for all tables.
	existsHint = "Hint: if no other load is running, remove it: deltabench oltp_read_write cleanup, with the same options; or go on with an interrupted load: the same command with --resume"
	notMySQL   = "Hint: what listens there ended the connection, or is no MySQL server: check --mysql-host and --mysql-port, and the server's error log"
	initHint   = "Hint: correct the statements of --mysql-init-sql, which every connection begins with"
	mustBePEM  = " (a PEM file that can be read)"
)

// badCommandLines need no server: one line, and nothing else beside the header.
var badCommandLines = []badInput{
	// Spelling of options.
	{name: "short option", args: "-t 4 " + oltpRun, line: "-t: options start with two dashes; write --threads=N", code: 1},
	{name: "help with a value", args: "--help=maybe", line: "invalid option: --help=maybe (write --help)", code: 1},
	{name: "no time", args: "cpu run --time=", line: "--time= has no value; write --time=N", code: 1},
	{name: "unit of a stack", args: "cpu run --thread-stack-size=1X", line: "FATAL: Invalid value for --thread-stack-size: '1X' (a number of bytes, or with a unit as in 64K, 16M, 2G)", code: 1},
	{name: "option file as a test", args: "./my.cnf run", files: map[string]string{"my.cnf": "[client]\nuser=me\n"}, line: "FATAL: ./my.cnf is no Lua script: it has options, one to a line (option files of the MySQL client are for --defaults-file=FILE, sysbench's for --config-file=FILE; the test is a name such as oltp_read_write)", code: 1},
	{name: "TLS mode of an option file", args: "oltp_read_write run --defaults-file=tls.cnf", files: map[string]string{"tls.cnf": "[client]\nssl-mode=bogus\n"}, line: "tls.cnf line 2: ssl-mode: 'bogus' is no TLS mode (disabled, preferred, required, verify_ca or verify_identity)", code: 1},
	{name: "one dash", args: "-threads=4 cpu run", line: "-threads=4: options start with two dashes; write --threads=4", code: 1},
	{name: "password as for mysql", args: "-pSECRET cpu run", line: "-p: options start with two dashes; write --mysql-password-file=FILE", code: 1},
	{name: "one dash, unknown", args: "cpu run -zzz", line: "-zzz: options start with two dashes and have long names; see 'deltabench --help'", code: 1},
	{name: "em dash", args: "—threads=4 cpu run", line: "—threads=4 starts with a typographic dash; write --threads=4", code: 1},
	{name: "en dash", args: "cpu run –time=4", line: "–time=4 starts with a typographic dash; write --time=4", code: 1},
	{name: "hyphen and en dash", args: "-–time=4 cpu run", line: "-–time=4 starts with a typographic dash; write --time=4", code: 1},
	{name: "en dash in a name", args: "--mysql–host=h " + oltpRun, line: "--mysql–host=h has a typographic dash in its name; write --mysql-host=h", code: 1},
	{name: "em dash before a value", args: "--threads=—4 cpu run", line: "Invalid value for the 'threads' option: '—4'" + whole + "threads=8)", code: 1},
	{name: "typo", args: "--thread=4 " + oltpRun, line: "invalid option: --thread=4 (did you mean --threads?)", code: 1},
	{name: "swapped letters", args: oltpRun + "--tabels=4", line: "invalid option: --tabels=4 (did you mean --tables?)", code: 1},
	{name: "prefix left out", args: oltpRun + "--host=h", line: "invalid option: --host=h (did you mean --mysql-host?)", code: 1},
	{name: "option of sysbench 0.4", args: oltpRun + "--oltp-table-size=9", line: "invalid option: --oltp-table-size=9 (did you mean --table-size?)", code: 1},
	{name: "option of another test", args: "--tables=4 cpu run", line: "invalid option: --tables=4 (oltp_read_write has this option, but cpu does not)", code: 1},
	{name: "unknown option", args: "--xyzzy cpu run", line: "invalid option: --xyzzy (see 'deltabench --help' and 'deltabench cpu help')", code: 1},
	{name: "help with an unknown option", args: "cpu help --xyzzy", line: "invalid option: --xyzzy (see 'deltabench --help' and 'deltabench cpu help')", code: 1},
	{name: "misspelled password", args: oltpRun + "--mysql-pasword=SECRET", line: "invalid option: --mysql-pasword=*** (did you mean --mysql-password?)", code: 1},
	{name: "boolean", args: "cpu run --histogram=maybe", line: "invalid option: --histogram=maybe (write --histogram=on or --histogram=off)", code: 1},

	// Options without values, values without options.
	{name: "value not attached", args: "--threads 4 " + oltpRun, line: "--threads: the value of an option is attached with '='; write --threads=4", code: 1},
	{name: "value not attached, at the end", args: oltpRun + "--tables 4", line: "--tables: the value of an option is attached with '='; write --tables=4", code: 1},
	{name: "password not attached", args: oltpRun + "--mysql-password SECRET", line: "--mysql-password: the value of an option is attached with '='; write --mysql-password=***", code: 1},
	{name: "no value", args: "--threads cpu run", line: "--threads has no value; write --threads=N", code: 1},
	{name: "no file", args: "cpu run --config-file", line: "--config-file has no value; write --config-file=FILENAME", code: 1},
	{name: "empty value", args: "--threads= cpu run", line: "--threads= has no value; write --threads=N", code: 1},
	{name: "value without name", args: "cpu run --=4", line: "invalid option: --=4 (an option has a name, as in --threads=4)", code: 1},
	{name: "value alone", args: "cpu run =4", line: "=4: a value without its option; write --NAME=4", code: 1},
	{name: "two dashes alone", args: "-- cpu run", line: "invalid option: -- (an option has a name, as in --threads=4)", code: 1},
	{name: "one word too many", args: "cpu run now", line: "Unrecognized command line argument: now ('cpu' and 'run' are the test and the command, and there are no more)", code: 1},

	// Numbers.
	{name: "zero threads", args: "--threads=0 cpu run", line: "FATAL: Invalid value for --threads: 0 (1 to 100000)", code: 1},
	{name: "fewer than zero threads", args: "--threads=-3 cpu run", line: "FATAL: Invalid value for --threads: -3 (1 to 100000)", code: 1},
	{name: "a billion threads", args: "--threads=1000000000 cpu run", line: "FATAL: Invalid value for --threads: 1000000000 (1 to 100000)", code: 1},
	{name: "1e9 threads", args: "--threads=1e9 cpu run", line: "Invalid value for the 'threads' option: '1e9'" + whole + "threads=8)", code: 1},
	{name: "huge number", args: "--time=99999999999 cpu run", line: "Invalid value for the 'time' option: '99999999999' (the number is too large; at most 2147483647)", code: 1},
	{name: "negative range", args: oltpRun + "--range_size=-100", line: "FATAL: Invalid value for --range-size: -100 (1 or more)", code: 1},
	{name: "negative count", args: prepare + "--point-selects=-1", line: "FATAL: Invalid value for --point-selects: -1 (0 or more)", code: 1},
	{name: "pareto", args: oltpRun + "--rand-pareto-h=99", line: "FATAL: Invalid value for --rand-pareto-h: '99' (a number between 0 and 1, such as 0.2)", code: 1},
	{name: "all draws special", args: oltpRun + "--rand-spec-res=100", line: "FATAL: Invalid value for --rand-spec-res: 100 (0 to 99)", code: 1},
	{name: "command of ours, misspelled", args: "exlpain cpu", line: "FATAL: Cannot find benchmark 'exlpain': no such built-in test, file or module (did you mean the command explain, as in 'deltabench explain'?)", code: 1},
	{name: "number of demo", args: "demo --rounds=x", line: "deltabench demo: --rounds=x: a whole number is needed", code: 1},
	{name: "rounds of demo", args: "demo --rounds=-5", line: "deltabench demo: --rounds=-5: from 1 to 1000", code: 1},
	{name: "value of demo", args: "demo --set thread=5", line: "deltabench demo: --set thread=5: there is no key 'thread' in the file; did you mean 'threads'?", code: 1},
	{name: "study without a file", args: "study run", line: "deltabench study run: the study file is missing", code: 1},
	{name: "study file that is not there", args: "study plan nowhere.yaml", line: "deltabench study plan: open nowhere.yaml: no such file or directory", code: 1},
	{name: "no study", args: "study show --store=none.db", line: "deltabench study show: store none.db: there is no such file (runs are recorded there unless --store, DELTABENCH_STORE or --no-record say otherwise)", code: 6},
	{name: "script of a study", args: "study check a.yaml", line: "deltabench study check: a.yaml: workload nope, scenario x: Cannot find benchmark '…/nope.lua': no such built-in test, file or module (see 'deltabench --help' for the tests)", code: 1, files: map[string]string{"a.yaml": strings.Replace(embeddedStudy, "[oltp_point_select]", "[{script: nope.lua}]", 1)}},
	{name: "option of a study", args: "study run a.yaml", line: "deltabench study run: a.yaml: workload w, scenario x: invalid option: --db-psmode=disable (did you mean --db-ps-mode?)", code: 1, files: map[string]string{"a.yaml": strings.Replace(embeddedStudy, "[oltp_point_select]", "[{name: w, test: oltp_point_select, options: {db-psmode: disable}}]", 1)}},
	{name: "work directory", args: "study run a.yaml --work-dir=/proc/x --html=none --store=x.db", line: "deltabench study run: work directory: mkdir /proc/x: no such file or directory; name another with --work-dir=DIR", code: 5, files: map[string]string{"a.yaml": embeddedStudy}},
	{name: "page in no directory", args: "study run a.yaml --html=/nope/x.html", line: "deltabench study run: --html=/nope/x.html: no such file or directory", code: 4, files: map[string]string{"a.yaml": embeddedStudy}},
	{name: "results in no directory", args: "study run a.yaml --out=/nope/x.md", line: "deltabench study run: --out=/nope/x.md: no such file or directory", code: 4, files: map[string]string{"a.yaml": embeddedStudy}},
	{name: "store in no directory", args: "study run a.yaml --store=/nope/x.db", line: "deltabench study run: store /nope/x.db: there is no directory /nope (make it, or name another file with --store=FILE or DELTABENCH_STORE, or use --no-record)", code: 6, files: map[string]string{"a.yaml": embeddedStudy}},
	{name: "margin of a study", args: "study show --margin=abc", line: "deltabench study show: --margin=abc: a number is needed", code: 1},
	{name: "margin that is none", args: "compare 1 -- 2 --margin=0", line: "deltabench compare: --margin=0: percent above 0, up to 1000, are needed", code: 1},
	{name: "comparison in no directory", args: "compare 1 -- 2 --out=/nope/x.md", line: "deltabench compare: --out=/nope/x.md: no such file or directory", code: 4},
	{name: "unknown study command", args: "study go", line: "deltabench study: there is no 'study go': init, check, plan, run, resume, list, show, export, delete", code: 1},
	{name: "unknown example", args: "study init --example nothing", line: "deltabench study init: there is no study 'nothing'; there are buffer-pool, confidential, demo, durability, hotspot, network, performance-schema, versions", code: 1},
	{name: "format of an export", args: "study export latest x.doc", line: "deltabench study export: x.doc: the format is not clear from the name; it ends with .html, .md, .csv, .json, .txt, .bench, .jsonl (the runs) or .yaml (the study file)", code: 1},

	{name: "negative time", args: "--time=-1 cpu run", line: "FATAL: Invalid value for --time: -1 (0 or more; 0 is none)", code: 1},
	{name: "negative rate", args: "--rate=-5 cpu run", line: "FATAL: Invalid value for --rate: -5 (0 or more; 0 is none)", code: 1},
	{name: "rate that is no number", args: "--rate=NaN cpu run", line: "Invalid value for the 'rate' option: 'NaN'" + whole + "rate=8)", code: 1},
	{name: "fraction of a second", args: "--report-interval=0.5 cpu run", line: "Invalid value for the 'report_interval' option: '0.5'" + whole + "report-interval=8)", code: 1},
	{name: "unit of time", args: "--time=10s cpu run", line: "Invalid value for the 'time' option: '10s'" + whole + "time=8)", code: 1},
	{name: "percentile above 100", args: "--percentile=101 cpu run", line: "FATAL: Invalid value for --percentile: 101 (1 to 100, 0 for none, or a list such as 50,95,99.9)", code: 1},
	{name: "percentile that is no number", args: "--percentile=NaN cpu run", line: "Invalid value for the 'percentile' option: 'NaN' (1 to 100, 0 for none, or a list such as 50,95,99.9)", code: 1},
	{name: "no rows", args: oltpRun + "--table-size=0", line: "FATAL: Invalid value for --table-size: 0 (1 to 2147483647)", code: 1},
	{name: "too many rows", args: prepare + "--table-size=1e12", line: "FATAL: Invalid value for --table-size: 1e12 (0 to 2147483647)", code: 1},
	{name: "negative tables", args: oltpRun + "--tables=-1", line: "FATAL: Invalid value for --tables: -1 (1 to 2147483647)", code: 1},
	{name: "tables that are no number", args: oltpRun + "--tables=many", line: "FATAL: Invalid value for --tables: 'many' (a number is needed)", code: 1},
	{name: "NaN in a test's option", args: oltpRun + "--point-selects=NaN", line: "FATAL: Invalid value for --point-selects: 'NaN' (a number is needed)", code: 1},
	{name: "size", args: "memory run --memory-total-size=lots", line: "FATAL: Invalid value for --memory-total-size: 'lots' (a number of bytes, or with a unit as in 64K, 16M, 2G)", code: 1},
	{name: "loops", args: "cpu run --loops=-1", line: "FATAL: Invalid value for --loops: -1 (1 or more, or 0 to choose by CPUs and threads)", code: 1},

	// Words.
	{name: "engine", args: "cpu run --engine=foo", line: "FATAL: Invalid value for --engine: 'foo' (allowed: auto, loop, goroutine)", code: 1},
	{name: "distribution", args: "cpu run --rand-type=normal", line: "FATAL: Invalid random numbers distribution: normal (--rand-type is uniform, gaussian, special, pareto or zipfian)", code: 1},
	{name: "driver", args: oltpRun + "--db-driver=foo", line: "FATAL: invalid database driver name: 'foo' (--db-driver=mysql is the one that there is)", code: 1},
	{name: "driver that is not there yet", args: oltpRun + "--db-driver=pgsql", line: "FATAL: the pgsql driver is not in this version of deltabench yet; use --db-driver=mysql", code: 3},
	{name: "prepared statements", args: oltpRun + "--db-ps-mode=foo", line: "FATAL: Invalid value for db-ps-mode: foo (auto or disable)", code: 1},
	{name: "errors to ignore", args: oltpRun + "--mysql-ignore-errors=1213,deadlock", line: "FATAL: Invalid value for --mysql-ignore-errors: 'deadlock' (error numbers such as 1213,1205, or all)", code: 1},
	{name: "TLS mode", args: oltpRun + "--mysql-ssl=maybe", line: "FATAL: Invalid value for --mysql-ssl: 'maybe' (disabled, preferred, required, verify_ca or verify_identity)", code: 1},
	{name: "no host", args: oltpRun + "--mysql-host=", line: "FATAL: No MySQL hosts specified, aborting (--mysql-host is empty; without it the host is localhost)", code: 1},
	{name: "port above all", args: oltpRun + "--mysql-host=127.0.0.1 --mysql-port=99999", line: "FATAL: Invalid value for --mysql-port: '99999' (1 to 65535, or several separated by commas)", code: 1},
	{name: "port that is a word", args: oltpRun + "--mysql-host=127.0.0.1 --mysql-port=mysql", line: "FATAL: Invalid value for --mysql-port: 'mysql' (1 to 65535, or several separated by commas)", code: 1},

	// Tests and commands.
	{name: "nothing", args: "", line: "no test is named (as in 'deltabench oltp_read_write run'; see 'deltabench --help')", code: 1},
	{name: "empty test", args: "'' run", line: "FATAL: Cannot find benchmark '': no such built-in test, file or module (the name is empty; see 'deltabench --help' for the tests)", code: 1},
	{name: "unknown test", args: "xyzzy run", line: "FATAL: Cannot find benchmark 'xyzzy': no such built-in test, file or module (see 'deltabench --help' for the tests)", code: 1},
	{name: "typo in a test", args: "oltp_read_wirte run", line: "FATAL: Cannot find benchmark 'oltp_read_wirte': no such built-in test, file or module (did you mean oltp_read_write?)", code: 1},
	{name: "command first", args: "run oltp_read_write", line: "FATAL: Cannot find benchmark 'run': no such built-in test, file or module ('run' is a command; the test comes first, as in deltabench oltp_read_write run)", code: 1},
	{name: "bundled test as a file", args: "oltp_read_write.lua run", line: "FATAL: Cannot find benchmark 'oltp_read_write.lua': no such built-in test, file or module (the bundled test is called oltp_read_write)", code: 1},
	{name: "directory as test", args: "dir run", files: map[string]string{"dir/x": ""}, line: "FATAL: Cannot find benchmark 'dir': no such built-in test, file or module (dir is a directory)", code: 1},
	{name: "event is a table", args: "./x.lua run", files: map[string]string{"x.lua": "event = {}\n"}, line: "FATAL: cannot find the event() function in x.lua (event is a table there; each thread calls it again and again, so it must be a function)", code: 1},
	{name: "fileio", args: "fileio run", line: "FATAL: the 'fileio' test is not in this version of deltabench yet", code: 3},
	{name: "unknown command", args: "oltp_read_write rnu", line: "Unknown command: rnu (did you mean run?)", code: 1},
	{name: "command that a test has not", args: "cpu prepare", line: "'cpu' test does not implement the 'prepare' command (its commands are run, help)", code: 1},
	{name: "no command", args: "cpu", line: "The 'cpu' test requires a command argument. See 'deltabench cpu help'", code: 1},

	// Files.
	{name: "config file missing", args: "--config-file=nofile cpu run", line: "nofile: No such file or directory (--config-file could not be read)", code: 1},
	{name: "config file without permission", args: "--config-file=secret cpu run", files: map[string]string{"secret": "threads=2\n"}, shell: `chmod 0 secret; exec $UNPRIVILEGED "$BIN" "$@"`, line: "secret: Permission denied (--config-file could not be read)", code: 1},
	{name: "config file is a directory", args: "--config-file=dir cpu run", files: map[string]string{"dir/x": ""}, line: "dir: Is a directory (--config-file names a file)", code: 1},
	{name: "config file is garbage", args: "--config-file=bin cpu run", files: map[string]string{"bin": "threads=2\n\x7fELF\x02\x00\xff\xfe=\x00"}, line: "bin line 2: this is not text (--config-file has lines such as threads=4)", code: 1},
	{name: "config file without end", args: "--config-file=/dev/zero cpu run", line: "/dev/zero line 1: this is not text (--config-file has lines such as threads=4)", code: 1},
	{name: "config file with an open quote", args: "--config-file=q cpu run", files: map[string]string{"q": "time=1\nthreads=\"2\n"}, line: "q: unexpected EOL on line 2 (a quote has no end)", code: 1},
	{name: "password file missing", args: oltpRun + "--mysql-password-file=nofile", line: "FATAL: Invalid value for --mysql-password-file: nofile: No such file or directory (a file whose first line is the password)", code: 1},
	{name: "CA file missing", args: oltpRun + "--mysql-ssl=verify_ca --mysql-ssl-ca=nofile", line: "FATAL: Invalid value for --mysql-ssl-ca: nofile: No such file or directory" + mustBePEM, code: 1},
	{name: "CA file without permission", args: oltpRun + "--mysql-ssl=verify_ca --mysql-ssl-ca=ca", files: map[string]string{"ca": "x"}, shell: `chmod 0 ca; exec $UNPRIVILEGED "$BIN" "$@"`, line: "FATAL: Invalid value for --mysql-ssl-ca: ca: Permission denied" + mustBePEM, code: 1},
	{name: "CA file without certificate", args: oltpRun + "--mysql-ssl=verify_ca --mysql-ssl-ca=ca", files: map[string]string{"ca": "not PEM\n"}, line: "FATAL: read TLS CA: no certificate in ca (check --mysql-ssl-ca, --mysql-ssl-cert, --mysql-ssl-key and --mysql-ssl-cipher)", code: 1},
	{name: "CA without TLS", args: oltpRun + "--mysql-ssl-ca=ca", files: map[string]string{"ca": ""}, line: "FATAL: --mysql-ssl-ca has no effect without TLS (--mysql-ssl=required, verify_ca or verify_identity)", code: 1},
	{name: "certificate without key", args: oltpRun + "--mysql-ssl=required --mysql-ssl-cert=c", files: map[string]string{"c": ""}, line: "FATAL: --mysql-ssl-cert and --mysql-ssl-key belong together (give both, or none)", code: 1},

	// The process.
	{name: "output on a full disk", args: "cpu run --events=5", shell: `exec "$BIN" "$@" >/dev/full`, line: "deltabench: write standard output: No space left on device", code: 4, lost: true},
	{name: "help on a full disk", args: "--help", shell: `exec "$BIN" "$@" >/dev/full`, line: "deltabench: write standard output: No space left on device", code: 4, lost: true},
	{name: "output closed", args: "cpu run --events=5", shell: `exec "$BIN" "$@" >&-`, line: "deltabench: standard output is closed, or /dev/null: reports are lost", code: 0, lost: true},
	{name: "script on standard input", args: "", stdin: "error('no')\n", line: "FATAL: stdin:1: no", code: 1},
	{name: "standard input is a directory", args: "", shell: `exec "$BIN" "$@" <.`, line: "FATAL: read standard input: Is a directory", code: 1},
	{name: "standard input closed", args: "", shell: `exec "$BIN" "$@" <&-`, line: "no test is named (as in 'deltabench oltp_read_write run'; see 'deltabench --help')", code: 1},
	{name: "more threads than files", args: prepare + "--threads=500", shell: `ulimit -n 256; exec "$BIN" "$@"`, line: "FATAL: Invalid value for --threads: 500 (each thread needs a connection, and this process may open 256 files; raise that with ulimit -n)", code: 1},
}

// badConnections have to do with a server, or with what is there in its place.
var badConnections = []badInput{
	{name: "more connections than files", args: oltpRun + "--threads=500 --mysql-host=127.0.0.1 --mysql-port=$NULL", shell: `ulimit -n 256; exec "$BIN" "$@"`, code: 5, line: "FATAL: Pre-flight: 500 threads need as many connections, and 32 files more, but this process may open 256: ulimit -n, raised as far as it may be", more: []string{"Hint: ulimit -n 532 in the shell that starts deltabench (as root: ulimit -Hn as well), or --threads=224 at most"}},
	{name: "no server at all", args: oltpRun, env: []string{"MYSQL_UNIX_PORT=/nonexistent/s.sock"}, code: 1, line: "Hint: there is no such socket: check that the server runs, or give its path with --mysql-socket; --mysql-host=127.0.0.1 uses TCP", more: startRun("socket '/nonexistent/s.sock'", "2002: Can't connect to local server through socket '/nonexistent/s.sock' (2)")},
	{name: "unknown host", args: oltpRun + "--mysql-host=nosuchhost.invalid", code: 1, line: "Hint: the host's name is not known here: check --mysql-host, or give the address", more: startRun("host 'nosuchhost.invalid', port 3306", "2005: Unknown server host 'nosuchhost.invalid' (-2)")},
	{name: "closed port", args: oltpRun + "--mysql-host=127.0.0.1 --mysql-port=$CLOSED", code: 1, line: "Hint: nothing listens there: check that the server runs, and --mysql-host and --mysql-port", more: startRun("host '127.0.0.1', port $CLOSED", "2002: Can't connect to server on '127.0.0.1' (115)")},
	{name: "one of several ports closed", args: oltpRun + "--threads=2 --mysql-host=127.0.0.1 --mysql-port=$NULL,$CLOSED", code: 1, line: "Hint: nothing listens there: check that the server runs, and --mysql-host and --mysql-port", more: startRun("host '127.0.0.1', port $CLOSED", "2002: Can't connect to server on '127.0.0.1' (115)")},
	{name: "web server", args: oltpRun + "--mysql-host=127.0.0.1 --mysql-port=$HTTP", code: 1, line: notMySQL, more: startRun("host '127.0.0.1', port $HTTP", "2013: Lost connection to server at 'handshake: reading initial communication packet', system error: 11")},
	{name: "ssh server", args: oltpRun + "--mysql-host=127.0.0.1 --mysql-port=$SSH", code: 1, line: notMySQL, more: startRun("host '127.0.0.1', port $SSH", "2013: Lost connection to server at 'handshake: reading initial communication packet', system error: 11")},
	{name: "zeros", args: oltpRun + "--mysql-host=127.0.0.1 --mysql-port=$ZEROS", code: 1, line: "Hint: what listens there does not speak the MySQL protocol: check --mysql-port", more: startRun("host '127.0.0.1', port $ZEROS", "2027: Malformed packet (empty greeting)")},
	{name: "server that never answers", args: oltpRun + "--threads=3 --thread-init-timeout=1 --mysql-host=127.0.0.1 --mysql-port=$SILENT", code: 2, line: "Hint: 3 of 3 threads got no answer from 127.0.0.1:$SILENT: the server hangs or is overloaded, a firewall drops packets, or the port is not MySQL's; --thread-init-timeout=N waits longer", more: []string{"FATAL: Worker threads failed to initialize within 1 seconds!"}},
	{name: "server that never answers a prepare", args: prepare + "--thread-init-timeout=1 --mysql-host=127.0.0.1 --mysql-port=$SILENT", code: 1, line: "Hint: no answer from 127.0.0.1:$SILENT: the server hangs or is overloaded, a firewall drops packets, or the port is not MySQL's; --thread-init-timeout=N waits longer", more: []string{"FATAL: unable to connect to MySQL server on host '127.0.0.1', port $SILENT, aborting..."}},
	{name: "socket missing", args: oltpRun + "--mysql-socket=nosocket", code: 1, line: "Hint: there is no such socket: check that the server runs, or give its path with --mysql-socket; --mysql-host=127.0.0.1 uses TCP", more: startRun("socket 'nosocket'", "2002: Can't connect to local server through socket 'nosocket' (2)")},
	{name: "socket is a file", args: oltpRun + "--mysql-socket=plain", files: map[string]string{"plain": ""}, code: 1, line: "Hint: no server listens on that socket: check --mysql-socket, or use TCP with --mysql-host=127.0.0.1", more: startRun("socket 'plain'", "2002: Can't connect to local server through socket 'plain' (111)")},
	{name: "socket with a long path", args: oltpRun + "--mysql-socket=/" + strings.Repeat("x", 150), code: 1, line: "Hint: the path of a socket may have 107 characters", more: startRun("socket '/…'", "2002: Can't connect to local server through socket '/…' (22)")},
	{name: "wrong password", args: oltpRun + "$SERVER --mysql-password=SECRET", code: 1, line: "Hint: check --mysql-user and the password, and that the account may connect from this host", more: startRun("host '127.0.0.1', port $PORT", "1045: Access denied for user 'sbtest'@'127.0.0.1' (using password: YES)")},
	{name: "no password", args: oltpRun + "$SERVER --mysql-password=", code: 1, line: "Hint: no password was sent, since --mysql-password= is empty: leave it out (MYSQL_PWD counts then), or give the password with --mysql-password-file, and check --mysql-user", more: startRun("host '127.0.0.1', port $PORT", "1045: Access denied for user 'sbtest'@'127.0.0.1' (using password: NO)")},
	{name: "empty password file", args: oltpRun + "$SERVER --mysql-password-file=empty", files: map[string]string{"empty": ""}, code: 1, line: "Hint: no password was sent: the file of --mysql-password-file is empty, and check --mysql-user", more: startRun("host '127.0.0.1', port $PORT", "1045: Access denied for user 'sbtest'@'127.0.0.1' (using password: NO)")},
	{name: "unknown database", args: oltpRun + "$SERVER --mysql-db=nosuchdb", code: 1, line: "Hint: create it (CREATE DATABASE `nosuchdb`), or name another one with --mysql-db", more: startRun("host '127.0.0.1', port $PORT", "1049: Unknown database 'nosuchdb'")},
	{name: "no database", args: oltpRun + "$SERVER --mysql-db=", code: 1, line: "Hint: --mysql-db is empty: name the database of the tables", more: []string{`FATAL: MySQL error: 1046 "No database selected"`}},
	{name: "database with a backquote", args: oltpRun + "$SERVER --mysql-db=a`b --mysql-user=sbtest --mysql-password=pw", code: 1, line: "Hint: create it (CREATE DATABASE `a``b`), or name another one with --mysql-db", more: startRun("host '127.0.0.1', port $PORT", "1049: Unknown database 'a`b'")},
	{name: "account without privileges", args: oltpRun + "$SERVER --mysql-user=badinput_nobody --mysql-password=pw", code: 1, line: "Hint: the account may not use this database: GRANT ALL ON `$DB`.* TO it, or name another one with --mysql-db", more: startRun("host '127.0.0.1', port $PORT", "1044: Access denied for user 'badinput_nobody'@'%' to database '$DB'")},
	{name: "account that may only read", args: prepare + "$SERVER --mysql-user=badinput_reader --mysql-password=pw", code: 1, line: "Hint: the account lacks a privilege: GRANT it, or use another --mysql-user", more: []string{"FATAL: …1142…42000…command denied to user 'badinput_reader'@'…' for table `$DB`.`sbtest1`"}},
	{name: "statement that connections begin with", args: oltpRun + "$SERVER --mysql-init-sql=DO(1);SELECT(nothing)FROM(no_such_table)", code: 1, line: initHint, more: startRun("host '127.0.0.1', port $PORT", "1146: in --mysql-init-sql: Table '$DB.no_such_table' doesn't exist")},
	{name: "syntax that connections begin with", args: prepare + "$SERVER --mysql-init-sql=SET(bogus)", code: 1, line: initHint, more: []string{"FATAL: error 1064: in --mysql-init-sql: You have an error in your SQL syntax…"}},
	{name: "missing table", args: oltpRun + "$SERVER", code: 1, line: "Hint: create the tables first: deltabench oltp_read_write prepare, with the same options, --tables and --mysql-db above all", more: []string{`FATAL: MySQL error: 1146 "Table '$DB.sbtest1' doesn't exist"`, "FATAL: Thread initialization failed!"}},
	{name: "missing table, without prepared statements", args: oltpRun + "$SERVER --db-ps-mode=disable", code: 1, line: "Hint: create the tables first: deltabench oltp_read_write prepare, with the same options, --tables and --mysql-db above all", more: []string{"FATAL: `thread_run' function failed: SQL error, errno = 1146, state = '42S02': Table '$DB.sbtest1' doesn't exist"}},
	{name: "prepare twice", args: prepare + "$PREPARED", code: 1, line: "FATAL: Table 'sbtest1' already exists", more: []string{existsHint}},
	{name: "prepare twice in threads", args: prepare + "--threads=2 $PREPARED", code: 1, line: "FATAL: Table 'sbtest1' already exists", more: []string{"Initializing worker threads...", existsHint}},
	{name: "prepare twice as sysbench does", args: prepare + "--load=sysbench $PREPARED", code: 1, line: "Hint: the tables are there already; if no other load is running, remove them first: deltabench oltp_read_write cleanup, with the same options", more: []string{"FATAL: `sysbench.cmdline.call_command' function failed: SQL error, errno = 1050, state = '42S01': Table 'sbtest1' already exists"}},
	{name: "read-only server", args: prepare + "--mysql-host=127.0.0.1 --mysql-port=$READONLY", code: 1, line: "Hint: the server is read-only: use one that may be written to, or a test that only reads, such as oltp_read_only", more: []string{"FATAL: …1290…HY000…: The MariaDB server is running with the --read-only option so it cannot execute this statement"}},
	{name: "too many connections", args: oltpRun + "--threads=8 --mysql-host=127.0.0.1 --mysql-port=$FULL", code: 1, line: "Hint: the server accepts no more connections: use fewer --threads, or raise its max_connections (or the account's limit)", more: []string{"FATAL: error 1040: Too many connections", "FATAL: `thread_init' function failed: connection creation failed (and 7 more threads)"}},
	{name: "too many prepared statements", args: oltpRun + "--mysql-host=127.0.0.1 --mysql-port=$NOPREPARE", code: 1, line: "Hint: each thread prepares some 10 statements for every table: raise the server's max_prepared_stmt_count, use fewer --threads or --tables, or --db-ps-mode=disable", more: []string{"FATAL: mysql_stmt_prepare() failed", `FATAL: MySQL error: 1461 "Can't create more than max_prepared_stmt_count statements (current value: 16382)"`}},
	{name: "TLS required of a server without", args: oltpRun + "$SERVER --mysql-ssl=required", code: 1, line: "Hint: the server offers no TLS: switch it on there, or use --mysql-ssl=preferred or disabled", more: startRun("host '127.0.0.1', port $PORT", "2026: TLS/SSL error: SSL is required, but the server does not support it")},
	{name: "wrong CA", args: oltpRun + "--mysql-host=127.0.0.1 --mysql-port=$TLS --mysql-ssl=verify_ca --mysql-ssl-ca=$OTHERCA", code: 1, line: "Hint: the server's certificate must come from the authority in --mysql-ssl-ca and be valid now (and for --mysql-host with verify_identity); --mysql-ssl=required does not check it", more: startRun("host '127.0.0.1', port $TLS", "2026: TLS/SSL error: the server's certificate is refused: certificate signed by unknown authority…")},
	{name: "wrong host in the certificate", args: oltpRun + "--mysql-host=127.0.0.2 --mysql-port=$TLSANY --mysql-ssl=verify_identity --mysql-ssl-ca=$CA", code: 1, line: "Hint: the server's certificate must come from the authority in --mysql-ssl-ca and be valid now (and for --mysql-host with verify_identity); --mysql-ssl=required does not check it", more: startRun("host '127.0.0.2', port $TLSANY", "2026: TLS/SSL error: the server's certificate is refused: certificate is valid for 127.0.0.1, ::1, not 127.0.0.2")},
	{name: "expired certificate", args: oltpRun + "--mysql-host=127.0.0.1 --mysql-port=$EXPIRED --mysql-ssl=verify_ca --mysql-ssl-ca=$EXPIREDCA", code: 1, line: "Hint: the server's certificate must come from the authority in --mysql-ssl-ca and be valid now (and for --mysql-host with verify_identity); --mysql-ssl=required does not check it", more: startRun("host '127.0.0.1', port $EXPIRED", "2026: TLS/SSL error: the server's certificate is refused: certificate has expired or is not yet valid…")},
	{name: "output closed in the middle", args: "oltp_point_select run --time=600 --report-interval=1 --mysql-host=127.0.0.1 --mysql-port=$NULL", shell: `("$BIN" "$@"; echo "code $?" >&2) 2>err | head -1; cat err`, code: 0, line: "code 141"},
}

// goisms are what no user should have to read: the insides of the program, and secrets.
var goisms = regexp.MustCompile(`goroutine \d|panic|runtime error|strconv\.|dial (tcp|unix)|lookup |(read|write) (tcp|unix)|\.go:\d|%!|<nil>|context (canceled|deadline)|x509:|0x[0-9a-f]{6}|errors?\.|SECRET`)

// badStage has the values of $NAME in the cases.
type badStage struct {
	values map[string]string
}

// newBadStage starts the servers of badConnections.
func newBadStage(t *testing.T) *badStage {
	t.Helper()
	s := &badStage{values: map[string]string{"UNPRIVILEGED": ""}}
	if os.Geteuid() == 0 { // root may read everything, unless these capabilities are taken away
		s.values["UNPRIVILEGED"] = "setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search"
	}
	return s
}

func (s *badStage) servers(t *testing.T) {
	t.Helper()
	m := mariadbtest.Shared(t)
	db, prepared := m.NewDatabase(t), m.NewDatabase(t)
	m.Exec(t, "CREATE OR REPLACE USER badinput_nobody@'%' IDENTIFIED BY 'pw'",
		"CREATE OR REPLACE USER badinput_reader@'%' IDENTIFIED BY 'pw'", "GRANT SELECT ON "+db+".* TO badinput_reader@'%'",
		"CREATE TABLE "+prepared+".sbtest1 (id INT)")
	server := "--mysql-host=127.0.0.1 --mysql-port=" + strconv.Itoa(m.Port) + " --mysql-user=sbtest --mysql-password=pw --mysql-db="
	s.values["SERVER"], s.values["PORT"], s.values["DB"] = server+db, strconv.Itoa(m.Port), db
	s.values["PREPARED"] = server + prepared

	greet := func(text string) func(net.Conn) {
		return func(c net.Conn) { _, _ = c.Write([]byte(text)) }
	}
	s.values["HTTP"] = impostor(t, greet("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"))
	s.values["SSH"] = impostor(t, greet("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"))
	s.values["ZEROS"] = impostor(t, greet(strings.Repeat("\x00", 64)))
	s.values["SILENT"] = impostor(t, func(net.Conn) {})
	s.values["CLOSED"] = closedPort(t)

	null := func(o nullserver.Options) string {
		n, err := nullserver.Listen(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.Close() })
		return strconv.Itoa(n.Addr().(*net.TCPAddr).Port)
	}
	s.values["NULL"] = null(nullserver.Options{})
	s.values["READONLY"] = null(nullserver.Options{Handler: func(q *nullserver.Query) *nullserver.Reply {
		if strings.HasPrefix(q.SQL, "CREATE") {
			return nullserver.Error(1290, "HY000", "The MariaDB server is running with the --read-only option so it cannot execute this statement")
		}
		return nullserver.Affected(0)
	}})
	s.values["FULL"] = null(nullserver.Options{Refuse: func(uint32) *wire.ERR {
		return &wire.ERR{Code: 1040, State: "08004", Message: "Too many connections"}
	}})
	s.values["NOPREPARE"] = null(nullserver.Options{Handler: func(q *nullserver.Query) *nullserver.Reply {
		if q.Command == wire.ComStmtPrepare {
			return nullserver.Error(1461, "42000", "Can't create more than max_prepared_stmt_count statements (current value: 16382)")
		}
		return nullserver.Affected(0)
	}})

	dir := t.TempDir()
	certs, err := mariadbtest.NewCertificates(filepath.Join(dir, "server"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := mariadbtest.NewCertificates(filepath.Join(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(certs.ServerCert, certs.ServerKey)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	s.values["CA"], s.values["OTHERCA"] = certs.CA, other.CA
	s.values["TLS"] = null(nullserver.Options{TLS: config})
	s.values["TLSANY"] = null(nullserver.Options{TLS: config, Listen: "127.0.0.2:0"})
	expired, ca := expiredCertificate(t, dir)
	s.values["EXPIRED"], s.values["EXPIREDCA"] = null(nullserver.Options{TLS: &tls.Config{Certificates: []tls.Certificate{expired}}}), ca
}

// impostor listens and greets connections with f; they stay open until the peer has had enough.
func impostor(t *testing.T, f func(net.Conn)) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				f(c)
				_, _ = io.Copy(io.Discard, c) // however it ends, it has
			})
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// closedPort is a port that nobody listens on. It stays bound, so that nobody else gets it.
func closedPort(t *testing.T) string {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(name.(*unix.SockaddrInet4).Port)
}

// expiredCertificate makes a certificate for 127.0.0.1 that was valid yesterday. It is its own authority.
func expiredCertificate(t *testing.T, dir string) (pair tls.Certificate, ca string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "expired"},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(-24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	ca = filepath.Join(dir, "expired.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, ca
}

func (s *badStage) replace(text string) string {
	return os.Expand(text, func(name string) string {
		if v, ok := s.values[name]; ok {
			return v
		}
		return "$" + name
	})
}

// execute runs the case and returns what came of it.
func (s *badStage) execute(t *testing.T, b *badInput) *outcome {
	t.Helper()
	var args []string
	for _, a := range strings.Fields(s.replace(b.args)) {
		if a == "''" {
			a = ""
		}
		args = append(args, a)
	}
	return startWith(t, 2*time.Minute, func(c *exec.Cmd) {
		for name, text := range b.files {
			path := filepath.Join(c.Dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		c.Stdin = strings.NewReader(b.stdin)
		c.Env = append(append(c.Env, "MYSQL_PWD=", "LUA_PATH="), b.env...)
		if b.shell == "" {
			return
		}
		// The shell executes the test binary under the program's name.
		bin := filepath.Join(t.TempDir(), "deltabench")
		if err := os.Symlink(c.Path, bin); err != nil {
			t.Fatal(err)
		}
		c.Env = append(c.Env, "BIN="+bin)
		c.Path, c.Args = "/bin/sh", append([]string{"sh", "-c", strings.ReplaceAll(b.shell, "$UNPRIVILEGED", s.values["UNPRIVILEGED"]), "sh"}, args...)
	}, "deltabench", args...).wait(t)
}

// matches compares a line with a pattern in which … stands for anything.
func matches(pattern, line string) bool {
	parts := strings.Split(pattern, "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(line)
}

// check compares the outcome with what was expected.
func (s *badStage) check(t *testing.T, b *badInput, o *outcome) {
	t.Helper()
	if o.code != b.code {
		t.Errorf("exit code %d, want %d", o.code, b.code)
	}
	if m := goisms.FindString(o.stdout + o.stderr); m != "" {
		t.Errorf("users are shown %q", m)
	}
	var lines []string
	for line := range strings.Lines(o.stdout + o.stderr) {
		line = strings.TrimRight(line, "\n")
		if line != "" && !strings.HasSuffix(line, " (sysbench 1.0.20 compatible)") {
			lines = append(lines, line)
		}
	}
	count := func(pattern string) (n int) {
		for _, line := range lines {
			if matches(s.replace(pattern), line) {
				n++
			}
		}
		return n
	}
	if n := count(b.line); n != 1 {
		t.Errorf("%d times the line %q, want 1", n, s.replace(b.line))
	}
	for _, pattern := range b.more {
		if count(pattern) == 0 {
			t.Errorf("no line %q", s.replace(pattern))
		}
	}
	if b.more == nil && len(lines) != 1 {
		t.Errorf("%d lines, want 1", len(lines))
	}
	if b.lost && o.stdout != "" {
		t.Error("there is something on standard output")
	}
	if o.took > time.Minute {
		t.Errorf("took %v", o.took)
	}
	if t.Failed() {
		t.Log(o)
	}
}

func (s *badStage) runAll(t *testing.T, cases []badInput) {
	slots := make(chan struct{}, 4)
	for _, b := range cases {
		t.Run(strings.ReplaceAll(b.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			s.check(t, &b, s.execute(t, &b))
		})
	}
}

func TestBadCommandLines(t *testing.T) {
	t.Parallel()
	newBadStage(t).runAll(t, badCommandLines)
}

func TestBadConnections(t *testing.T) {
	t.Parallel()
	s := newBadStage(t)
	s.servers(t)
	s.runAll(t, badConnections)
}

// Inputs that are odd but harmless do no harm.
func TestOddSurroundings(t *testing.T) {
	t.Parallel()
	s := newBadStage(t)
	for _, b := range []badInput{
		{name: "working directory deleted", args: "cpu run --events=3", shell: `mkdir gone; cd gone; rmdir ../gone; exec "$BIN" "$@"`},
		{name: "no environment", args: "cpu run --events=3", shell: `exec env -i ` + runAsMain + `=1 ` + store.PathVariable + `=none "$BIN" "$@"`},
		{name: "standard input closed", args: "cpu run --events=3", shell: `exec "$BIN" "$@" <&-`},
		{name: "standard error closed", args: "cpu run --events=3", shell: `exec "$BIN" "$@" 2>&-`},
		{name: "engine that the test does not use", args: "cpu run --events=3 --engine=loop --loops=99"},
		{name: "more loops than threads", args: "oltp_read_only run --events=3 --threads=2 --loops=99999999 --mysql-dry-run"},
		{name: "time without end", args: "cpu run --events=3 --time=2147483647 --warmup-time=0 --forced-shutdown=2147483647"},
		{name: "password in an unusual place", args: "oltp_read_only run --events=3 --mysql-dry-run --mysql-password=SECRET --verbosity=5"},
	} {
		t.Run(strings.ReplaceAll(b.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			o := s.execute(t, &b)
			if o.code != 0 || o.stderr != "" || !strings.Contains(o.stdout, "total number of events:              3\n") {
				t.Errorf("want 3 events, exit code 0 and nothing on standard error: %v", o)
			}
			if m := goisms.FindString(o.stdout); m != "" {
				t.Errorf("users are shown %q: %v", m, o)
			}
		})
	}
}

// TestBadInputsUnderSysbenchsName checks that our hints stay under our name.
func TestBadInputsUnderSysbenchsName(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args   string
		code   int
		stderr string
		last   string // of standard output
	}{
		{"--threads 4 cpu run", 1, "Unrecognized command line argument: run\n", ""},
		{"--thread=4 cpu run", 1, "invalid option: --thread=4\n", ""},
		{"--threads=0 cpu run", 1, "", "FATAL: Invalid value for --threads: 0.\n\n"},
		{"--threads=x cpu run", 1, "Invalid value for the 'threads' option: 'x'\n", ""},
		{"xyzzy run", 1, "", "FATAL: Cannot find benchmark 'xyzzy': no such built-in test, file or module\n"},
		{"cpu rnu", 1, "Unknown command: rnu\n", ""},
		{"--config-file=nofile cpu run --events=1 --time=-1", 0, "nofile: No such file or directory\n", ""},
		{"oltp_read_write run --mysql-socket=nosocket", 1, "", "FATAL: Thread initialization failed!\n"},
		{"", 0, "", ""},
	} {
		o := run(t, "sysbench", strings.Fields(tc.args)...)
		if o.code != tc.code || o.stderr != tc.stderr || !strings.HasSuffix(o.stdout, tc.last) {
			t.Errorf("want exit code %d, %q on standard error and %q at the end: %v", tc.code, tc.stderr, tc.last, o)
		}
	}
}

// TestNoTwoBadInputsAreTheSame keeps the list honest.
func TestNoTwoBadInputsAreTheSame(t *testing.T) {
	t.Parallel()
	all := slices.Concat(badCommandLines, badConnections)
	if len(all) < 45 {
		t.Errorf("%d bad inputs, want at least 45", len(all))
	}
	seen := map[string]string{}
	for _, b := range all {
		key := fmt.Sprint(b.args, b.shell, b.stdin, b.files)
		if other, ok := seen[key]; ok {
			t.Errorf("%q and %q are the same", b.name, other)
		}
		seen[key] = b.name
	}
}
