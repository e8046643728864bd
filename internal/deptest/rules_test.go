package deptest

// levels order our packages: a package imports only packages of a lower level, whatever it is for. It
// follows the floors of the architecture; several levels of one floor are a floor with stairs. Keys are
// paths below the module, or with a final /* all packages below.
var levels = map[string]struct {
	level int
	job   string // why it stands here
}{
	"docs/schema":      {0, "published schemas, embedded where they are"},
	"studies":          {0, "study files that come with the program, embedded where they are"},
	"internal/textlog": {0, "lines of a log; knows nothing else of ours"},
	"internal/option":  {0, "values of options; knows nothing else of ours"},
	"internal/deptest": {0, "has tests only"},

	"internal/third_party/gopher-lua/*":     {-2, "somebody else's code, patched; below all of ours"},
	"internal/third_party/gopher-lua/parse": {-1, "the same"},
	"internal/third_party/gopher-lua":       {0, "the same"},

	"internal/optionfile": {0, "syntax and places of option files; does not know what options mean"},

	"internal/wire": {1, "packets without policy, shared by client, proxy and test servers"},
	"internal/auth": {1, "login methods without sockets, shared like wire"},
	"internal/loop": {1, "event loop; must not know what runs on it"},

	"internal/luaffi": {1, "libraries of LuaJIT over the interpreter; functions of sysbench come from above"},

	"internal/measure": {2, "counts and times given by the caller"},
	"internal/random":  {2, "random numbers; the same seed gives the same stream whoever asks"},

	"internal/compare":  {2, "statistics of finished runs; plain numbers in, claims out"},
	"internal/simulate": {3, "studies whose truth is known, to hold compare to its promises"},

	"internal/table":     {3, "comparisons as tables for people and programs; claims come from compare"},
	"internal/reference": {4, "published figures, embedded, as tables"},

	"internal/pace":  {3, "arrival schedules, from random numbers"},
	"internal/sqldb": {3, "interface to drivers; counts in measure"},

	"internal/sqldb/*": {4, "drivers, over wire and auth; do not know whether a loop or a goroutine runs them"},

	"internal/preflight": {4, "limits against a run's needs; asks servers through sqldb's interface"},

	"internal/workload": {5, "interface of tests; the engine is not known here"},

	"internal/workload/load": {5, "fills tables that a plan describes; tests make the plans"},

	"internal/evidence": {0, "what is known of a server around a run, as data; others collect it"},
	"internal/hostcost": {1, "what processes and machines cost, from the system"},
	"internal/admin":    {3, "the administrative side of servers over database/sql: settings, facts, checks of data"},
	"internal/study":    {4, "study files and plans; touches no server"},
	"internal/target":   {5, "servers that a command starts for itself, and hooks of other people's; knows processes, not tests"},
	"internal/embedded": {5, "a server with its tables; knows no client of ours"},

	"internal/workload/*":          {6, "tests; written against interfaces, so that any engine runs them"},
	"internal/workload/script/lib": {5, "texts of scripts, embedded; knows no interpreter"},

	"internal/engine": {6, "runs tests it does not know by name; prints nothing"},

	"internal/report": {7, "finished runs as documents for programs; knows no command line"},

	"internal/store": {8, "finished runs in a file; knows documents, no command line"},

	"internal/child":      {8, "one command line of this program as a child process; reads its document"},
	"internal/interleave": {9, "command lines of this program in rounds, as child processes"},
	"internal/sample":     {9, "finished runs from anywhere as comparable samples; judges and prints nothing"},

	"internal/sysbench":  {9, "sysbench's command line and reports over the engine; records runs"},
	"internal/conduct":   {10, "executes plans of studies; measures through children, judges nothing"},
	"internal/findings":  {10, "what the runs of a study say; starts nothing, draws nothing"},
	"internal/studypage": {11, "findings as one HTML file; computes nothing"},
	"internal/cli":       {12, "our command line; hands over to sysbench's"},
	"cmd/deltabench":     {13, "process state to cli.Main and nothing else"},

	"cmd/deltabench-embedded": {13, "the embedded server as a process"},

	"internal/nullserver":       {4, "server for tests and benchmarks, over wire and auth"},
	"internal/nullserver/cmd/*": {5, "the same as a process"},
	"internal/mariadbtest":      {0, "private MariaDB servers; uses an independent client"},
	"internal/devtools/*":       {13, "tools of developers; may use everything"},
}

// grounds are packages of the ground floor with all that they may import of ours. Level numbers would
// allow no more today; this keeps it so when levels are renumbered.
var grounds = map[string][]string{
	"internal/textlog":    nil,
	"internal/option":     nil,
	"internal/optionfile": nil,
	"internal/wire":       {"internal/textlog", "internal/option"},
	"internal/auth":       {"internal/textlog", "internal/option"},
	"internal/loop":       {"internal/textlog", "internal/option"},
}

// testOnly are packages that tests, tools and their own subpackages alone may import, with the reason.
var testOnly = map[string]string{
	"internal/mariadbtest":           "it starts servers and links package testing",
	"internal/nullserver":            "it is what the product is measured against, and must not share its process",
	"internal/workload/workloadtest": "it stands in for what the product has",
	"internal/simulate":              "made-up studies belong to tests; nobody may take them for measured ones",
	"internal/devtools":              "tools of developers are no part of the product",
}

// productMustNot are packages (with all below) that the product's binary must not contain, besides testOnly.
var productMustNot = map[string]string{
	"testing":                            "it registers flags and costs start time; something of the tests has leaked",
	"github.com/go-mysql-org/go-mysql":   "independent server to test our client against; our own protocol code must not lean on it",
	"github.com/rogpeppe/go-internal":    "testscript, for tests only",
	"github.com/dolthub/go-mysql-server": "the embedded server is a program of its own: it costs 0.2 s of CPU at every start",
	"deltabench/internal/embedded":       "as go-mysql-server, which it needs",
	"github.com/chromedp/chromedp":       "a browser's remote control, for tests only",
	"github.com/chromedp/cdproto":        "the same",
	"net/http/pprof":                     "it opens a door in whoever serves HTTP",
	"runtime/cgo":                        "the product builds without a C compiler and runs on any libc",
	"golang.org/x/tools":                 "for developers only",
}

// productModules are the foreign modules that the product's binary may contain, with the reason. Each is
// argued in the commit that adds it here.
var productModules = map[string]string{
	"filippo.io/edwards25519":                 "curve arithmetic of MariaDB's ed25519 login, which crypto/ed25519 does not offer",
	"github.com/HdrHistogram/hdrhistogram-go": "latency histograms of bounded error",
	"github.com/go-sql-driver/mysql":          "the administrative side of studies, over database/sql; nothing there is hot",
	"github.com/goccy/go-yaml":                "study files: strict, with the line of every error",
	"gonum.org/v1/plot":                       "static pictures for readers without JavaScript",
	"codeberg.org/go-fonts/liberation":        "of gonum.org/v1/plot: the widths of letters",
	"codeberg.org/go-latex/latex":             "the same",
	"codeberg.org/go-pdf/fpdf":                "the same",
	"git.sr.ht/~sbinet/gg":                    "the same",
	"github.com/ajstarks/svgo":                "the same",
	"github.com/golang/freetype":              "the same",
	"golang.org/x/image":                      "the same",
	"golang.org/x/text":                       "the same",
	"github.com/inconshreveable/mousetrap":    "of cobra, on Windows",
	"github.com/klauspost/compress":           "zstd and fast zlib of the compressed protocol",
	"github.com/google/shlex":                 "words of a command line in a text, as a shell reads them",
	"github.com/spf13/cobra":                  "our own commands",
	"github.com/spf13/pflag":                  "of cobra",
	"gonum.org/v1/gonum":                      "Student's t and moments for intervals",
	"golang.org/x/sys":                        "system calls that package syscall lacks",
	"golang.org/x/perf":                       "the Go benchmark format, as benchstat reads it",
	"github.com/aclements/go-moremath":        "of golang.org/x/perf",
	"modernc.org/sqlite":                      "the store of runs: SQLite without a C compiler",
	"modernc.org/libc":                        "of modernc.org/sqlite",
	"modernc.org/mathutil":                    "the same",
	"modernc.org/memory":                      "the same",
	"github.com/dustin/go-humanize":           "the same",
	"github.com/google/uuid":                  "the same",
	"github.com/mattn/go-isatty":              "the same",
	"github.com/ncruces/go-strftime":          "the same",
	"github.com/remyoudompheng/bigfft":        "the same",
	"golang.org/x/term":                       "a password that is typed is not shown, on any system",
}
