package sysbench

import (
	"context"
	"io"

	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// Version is deltabench's version; the release build sets it.
var Version = "0.1.0-dev"

// sysbenchVersion is the version whose behaviour this is.
const sysbenchVersion = "1.0.20"

// Face is the program that we are.
type Face int

// Faces.
const (
	FaceSysbench   Face = iota // sysbench 1.0.20 and nothing else
	FaceDeltabench             // the same grammar with our additions visible and our defaults
)

// program is the name in help and usage messages.
func (f Face) program() string {
	if f == FaceSysbench {
		return "sysbench"
	}
	return "deltabench"
}

// versionLine is what --version prints.
func (f Face) versionLine() string {
	if f == FaceSysbench {
		return "sysbench " + sysbenchVersion
	}
	return "deltabench " + Version + " (sysbench " + sysbenchVersion + " compatible)"
}

// header is the first line of all other output. It does not claim LuaJIT, as sysbench's does.
func (f Face) header() string {
	if f == FaceSysbench {
		return "sysbench " + sysbenchVersion + " (using deltabench " + Version + ")"
	}
	return f.versionLine()
}

// Env is the state of the process that the face uses; it touches no other but files named by options.
type Env struct {
	Args   []string // with the program's name in front
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string // nil: an empty environment
	// OptionFiles are the option files of all users, which our face reads before that of the user.
	OptionFiles []string
	Face        Face

	// Commands are the names of our own commands, for hints.
	Commands []string

	Tests  []workload.Test // nil: the bundled ones
	Runner Runner          // nil: the engine
}

// Runner executes a command of a test that the grammar has found and returns the exit code. The
// header has been printed, options have been read and checked; everything after that is the runner's.
type Runner func(ctx context.Context, req *Request) int

// Request is one command of one test.
type Request struct {
	Face     Face
	Test     workload.Test
	Name     string // of the test as users see it in messages: the basename of what was typed
	Command  string // "run", or a name from Test.Commands
	General  *General
	Database *Database
	Options  workload.Values // the test's options, and for SQL tests sysbench's, under their underscored names
	Untyped  []string        // names that only a config file mentions: each export to a script warns of them
	Log      *textlog.Log
	Stdout   io.Writer // what the log writes to, for text that bypasses verbosity
	Stderr   io.Writer
	Report   machineReport // document of a run
	Record   recording     // where it is recorded

	drivers *drivers // of a script; nil for other tests

	advice *advice // nil: nobody wants it
	// failures collects those of threads; nil: each is logged at once.
	failures *failures

	doubts []string // warnings of the pre-flight check, which the report repeats
}
