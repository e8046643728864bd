package study

import (
	"time"

	"deltabench/internal/compare"
)

// State is what happens to a server and its data before a scenario of a round.
type State string

// States.
const (
	Preserve State = "preserve" // nothing
	Restart  State = "restart"  // the server is restarted, data as left
	Reset    State = "reset"    // tables are dropped and prepared again
	Restore  State = "restore"  // the server is stopped, the data image copied back, the server started
)

// Kind is how a target's server comes to be.
type Kind string

// Kinds.
const (
	Managed  Kind = "managed"  // started by us on a data directory of its own
	External Kind = "external" // somebody else's, reached by a DSN
	Embedded Kind = "embedded" // our own embedded server
)

// Plan is a study that is ready to be executed: everything is said, nothing is left to defaults. It is pure data, kept with the
// results as JSON. Passwords are not in it: they are named (PasswordFrom) and looked up when they are needed.
type Plan struct {
	Study     string     `json:"study"` // name in the file
	Question  string     `json:"question,omitempty"`
	Note      string     `json:"note,omitempty"` // remarks of the author, shown below results
	Targets   []Target   `json:"targets"`
	Data      Data       `json:"data"`
	Workloads []Workload `json:"workloads"`
	Threads   []int      `json:"threads"` // rising
	Headline  int        `json:"headlineThreads"`

	Time       time.Duration `json:"time"`       // measured part of a run, warm-up excluded
	Warmup     time.Duration `json:"warmup"`     // fixed warm-up before Time; with WarmupAuto 0: cut from the series after the fact
	WarmupAuto bool          `json:"warmupAuto"` // DESIGN 6.4
	After      Measure       `json:"measureAfter"`

	Rounds     int              `json:"rounds"` // the most there are, with a stopping rule
	Stop       compare.Stopping `json:"stop"`
	State      State            `json:"state"`
	Margin     float64          `json:"margin"`     // percent
	TailMargin float64          `json:"tailMargin"` // percent, of percentiles
	Seed       uint64           `json:"seed"`       // of orders and random streams; never 0

	Metric    string    `json:"metric"`              // primary one: qps, or tps for workloads without meaningful queries
	EqualLoad []float64 `json:"equalLoad,omitempty"` // shares of the baseline's peak, 0..1, at which tails are compared after the ladder; empty: not done
	CPUs      CPUs      `json:"cpus"`
	Checksum  bool      `json:"checksum"` // tables are checksummed before each round, not only counted
	AA        bool      `json:"aa"`       // the baseline runs twice per round: an A/A comparison in the study

	Reference  string    `json:"reference,omitempty"`  // name of a published set of figures (package reference)
	Findings   []Finding `json:"findings,omitempty"`   // published statements to hold against the results
	Quick      bool      `json:"quick,omitempty"`      // made smaller by --quick: for seeing, not for answers
	Production bool      `json:"production,omitempty"` // the user said yes to a target that looks like production
}

// Measure says from when on a run counts.
type Measure string

// Measures.
const (
	Steady       Measure = "steady"
	CPUSaturated Measure = "cpu_saturated" // from the first time the server used 95 % of its CPUs for 3 s; where that never happens or is not known: as Steady
)

// CPUs are CPU lists as of taskset (0-3,8); empty: any.
type CPUs struct {
	Server string `json:"server,omitempty"`
	Client string `json:"client,omitempty"`
	Proxy  string `json:"proxy,omitempty"`
}

// Target is a server under test with its scenarios, the baseline first.
type Target struct {
	Name      string            `json:"name"`
	Kind      Kind              `json:"kind"`
	Labels    map[string]string `json:"labels,omitempty"`
	Managed   *ManagedServer    `json:"managed,omitempty"`
	External  *ExternalServer   `json:"external,omitempty"`
	Scenarios []Scenario        `json:"scenarios"` // the baseline first; with Plan.AA its copy second, with AA set
}

// ManagedServer is how a server is started.
type ManagedServer struct {
	Server  string   `json:"server"` // path of mysqld or mariadbd, a directory to look in, or "auto": the first one on PATH and in the usual places
	Options []Option `json:"options,omitempty"`
	Init    []string `json:"init,omitempty"`    // arguments of initialising the data directory, as --innodb-page-size=8k
	Replica string   `json:"replica,omitempty"` // "", "async" or "semisync": a second server that replicates
}

// Option is a server option; Name with underscores.
type Option struct{ Name, Value string }

// ExternalServer is how a server is reached. DSN has no password.
type ExternalServer struct {
	DSN   DSN             `json:"dsn"`
	Hooks map[string]Hook `json:"hooks,omitempty"` // before, after (of a scenario in a round), restart
}

// DSN is an address with an account.
type DSN struct {
	User         string `json:"user"`
	Host         string `json:"host,omitempty"`
	Port         int    `json:"port,omitempty"`
	Socket       string `json:"socket,omitempty"` // instead of host and port
	DB           string `json:"db"`
	PasswordFrom string `json:"passwordFrom,omitempty"` // "env:NAME", "file:PATH", "" (none, or the option file's); never the password
	TLS          string `json:"tls,omitempty"`          // as --mysql-ssl; empty: the default
}

// Hook is a command of the user's, executed by sh -c on this machine.
type Hook struct {
	Command string        `json:"command"`
	Timeout time.Duration `json:"timeout"`
}

// Scenario is one configuration under comparison.
type Scenario struct {
	Name       string   `json:"name"`
	Baseline   bool     `json:"baseline,omitempty"`
	AA         bool     `json:"aa,omitempty"`
	Monitoring string   `json:"monitoring,omitempty"` // what the configuration gives, for tables
	Note       string   `json:"note,omitempty"`
	Server     []Option `json:"server,omitempty"`  // of the server's start; each is read back
	Globals    []Option `json:"globals,omitempty"` // SET GLOBAL after the start; each is read back, and put back
	SQL        []string `json:"sql,omitempty"`     // after the start, once
	Session    []string `json:"session,omitempty"` // statements that every measuring connection executes first
	Options    []Option `json:"options,omitempty"` // command-line options of the run: driver's and workload's; names with dashes
	DSN        *DSN     `json:"dsn,omitempty"`     // where the runs of this scenario connect to, instead of the target's
	Connect    string   `json:"connect,omitempty"` // managed: tcp, else over the socket
	Binary     string   `json:"binary,omitempty"`  // managed: this scenario's own mysqld or mariadbd (versions)
}

// Data is what the tables hold. Exactly one of Workload, Script and SQL is set, or none: no data is prepared.
type Data struct {
	Workload string   `json:"workload,omitempty"` // a bundled test, or an absolute path of a script, whose prepare is executed
	SQL      []string `json:"sql,omitempty"`
	Options  []Option `json:"options,omitempty"` // of prepare; tables and table-size are here, too
	Threads  int      `json:"threads,omitempty"` // of prepare
	Tables   int      `json:"tables"`
	Rows     int64    `json:"rows"` // of each table
}

// Workload is what is executed.
type Workload struct {
	Name    string   `json:"name"` // in tables; unique
	Test    string   `json:"test"` // a bundled test, or an absolute path of a script
	Options []Option `json:"options,omitempty"`
}

// Finding is a published statement that a study can confirm or contradict.
type Finding struct {
	Text     string  `json:"text"`
	Target   string  `json:"target,omitempty"` // empty: every target
	Scenario string  `json:"scenario"`
	Workload string  `json:"workload,omitempty"` // empty: the mean over all
	Threads  []int   `json:"threads,omitempty"`  // empty: the mean over the ladder
	Metric   string  `json:"metric,omitempty"`   // empty: the primary one
	Low      float64 `json:"low"`                // change in percent that was published: from Low to High; ±Inf is written as ±1e9
	High     float64 `json:"high"`
}

// Cell is a workload at a number of threads.
type Cell struct {
	Workload int `json:"workload"` // index in Plan.Workloads
	Threads  int `json:"threads"`
}

// Step is a scenario in a round: what happens on one server start.
type Step struct {
	Round    int // from 1
	Target   int // index in Plan.Targets
	Scenario int // index in Target.Scenarios
	Position int // among the steps of this target in the round, from 1
	Cells    []Cell
}

// Key names a run within a study: there is at most one for each.
type Key struct {
	Target, Scenario, Workload string
	Threads, Round             int
	Share                      float64 // of the baseline's peak, of equal-load runs; 0: of the ladder
}
