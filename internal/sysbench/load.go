package sysbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"deltabench/internal/sqldb"
	"deltabench/internal/workload"
	"deltabench/internal/workload/load"
)

// loadSysbench is the value of --load with which prepare does what sysbench does.
const loadSysbench = "sysbench"

// loadMethods are the values of --load.
var loadMethods = []string{string(load.Auto), string(load.Infile), string(load.Insert), loadSysbench}

// planner is a test whose tables can be loaded by package load.
type planner interface {
	LoadPlan(workload.Setup) (load.Plan, error)
}

// checkLoad refuses options of loading where they have no effect.
func (s *session) checkLoad(req *Request) error {
	_, can := req.Test.(planner)
	for _, name := range []string{"load", "load-index", "resume"} {
		switch {
		case !s.ours.Given(name):
		case !can:
			return fatalf("--%s has no effect on '%s'", name, req.Name).hinted("it is for tests that load tables")
		case req.Command != "prepare" && req.General.Target == "":
			return fatalf("--%s has no effect on '%s'", name, req.Command).hinted("it is for prepare")
		case name != "load" && req.General.Load == loadSysbench:
			return fatalf("--%s does not go with --load=%s", name, loadSysbench).hinted("leave one of the two out")
		case name != "load" && len(req.Database.servers()) > 1:
			return fatalf("--%s does not go with several servers", name).hinted("name one of them")
		}
	}
	return nil
}

// servers names the servers that connections are dealt to.
func (d *Database) servers() []string {
	if len(d.Sockets) > 0 {
		return d.Sockets
	}
	var names []string
	for _, h := range d.Hosts {
		for _, p := range d.Ports {
			names = append(names, fmt.Sprintf("%s:%d", h, p))
		}
	}
	return names
}

// loads reports whether the command is a prepare by package load. With several servers, each thread keeps to a server
// and a table as in sysbench: a table that one server has just created another may not have yet.
func loads(req *Request) bool {
	_, can := req.Test.(planner)
	return can && req.Command == "prepare" && req.General.Load != loadSysbench && !req.Database.DryRun && len(req.Database.servers()) == 1
}

// defaultLoadSeed is the seed of rows that several threads load, when none is given: their rows cannot be sysbench's, but
// are to be the same each time.
const defaultLoadSeed = 1

// runLoad prepares tables by package load.
func runLoad(ctx context.Context, req *Request, setup workload.Setup) int {
	plan, err := req.Test.(planner).LoadPlan(setup)
	if err != nil {
		return loadFailed(ctx, req, load.Report{}, err)
	}
	g := req.General
	cfg := load.Config{
		Driver: setup.Driver, Log: setup.Log, Plan: plan, Threads: g.Threads, Method: load.Method(g.Load),
		IndexBefore: g.LoadIndexBefore, Resume: g.Resume, Seed: uint64(uint32(g.Seed)),
		CleanupHint: fmt.Sprintf("%s %s cleanup, with the same options", req.Face.program(), req.Name),
		ResumeHint:  "the same command with --resume",
	}
	if g.Seed == 0 {
		cfg.Seed, cfg.Sequence = defaultLoadSeed, setup.Random.Main()
	}
	if setup.Log == req.Log {
		cfg.Terminal = terminal(req.Stdout)
	}
	if g.Threads > 1 && cfg.Terminal == nil {
		setup.Log.Noticef("Initializing worker threads...\n")
	}
	var report load.Report
	err = guard(func() (err error) {
		report, err = load.Run(ctx, cfg)
		return err
	})
	if err != nil {
		return loadFailed(ctx, req, report, err)
	}
	if req.Face == FaceDeltabench {
		setup.Log.Noticef("%s", loadSummary(report, plan, g.LoadIndexBefore))
	}
	return ExitOK
}

// terminal returns the terminal that a writer writes to, or nil.
func terminal(w io.Writer) io.Writer {
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		return f
	}
	return nil
}

// loadSummary is the line after a load: how fast it was, and all of how it was done that may matter later.
func loadSummary(r load.Report, plan load.Plan, indexBefore bool) string {
	var b strings.Builder
	if r.Rows == 0 && r.Kept > 0 {
		return fmt.Sprintf("No row was missing: %s of an interrupted load kept, %s complete (%.1f s)", plural(int(r.Kept), "row"), isAre(r.Tables, "table"), r.Took.Seconds())
	}
	fmt.Fprintf(&b, "Loaded %s into %s in %.1f s", plural(int(r.Rows), "row"), plural(r.Tables, "table"), r.Took.Seconds())
	if s := r.Took.Seconds(); r.Rows > 0 && s > 0 {
		fmt.Fprintf(&b, " (%.0f rows/s)", float64(r.Rows)/s)
	}
	how := "INSERT statements"
	if r.Method == load.Infile {
		how = "LOAD DATA LOCAL INFILE"
	}
	fmt.Fprintf(&b, ": %s, %s", how, plural(r.Threads, "connection"))
	switch {
	case !slices.ContainsFunc(plan.Tables, func(t load.Table) bool { return t.IndexName != "" }):
		b.WriteString(", no secondary index")
	case indexBefore:
		b.WriteString(", secondary index before the rows")
	default:
		b.WriteString(", secondary index after the rows")
	}
	if r.Sequential {
		b.WriteString(", sysbench's rows")
	}
	if r.Kept > 0 {
		fmt.Fprintf(&b, "; %s of an interrupted load kept", plural(int(r.Kept), "row"))
	}
	return b.String()
}

// loadFailed tells why a load has ended early, and how to go on.
func loadFailed(ctx context.Context, req *Request, r load.Report, err error) int {
	code := ExitFailure
	var refusal *load.Refusal
	switch {
	case ctx.Err() != nil:
		code = ExitInterrupted
		req.Log.Fatalf("%s was interrupted; tables may be incomplete", req.Command)
	case errors.As(err, &refusal):
		for _, line := range refusal.Lines {
			req.Log.Fatalf("%s", line)
		}
		if refusal.Hint != "" {
			req.Log.Noticef("Hint: %s", refusal.Hint)
		}
	default:
		req.advice.note(req, err)
		req.Log.Fatalf("%s: %s", req.Command, err)
		req.advice.print(req.Log)
	}
	if r.Started && req.Face == FaceDeltabench && !tableExists(err) {
		req.Log.Noticef("Hint: what was loaded stays; the same command with --resume goes on from there")
	}
	return code
}

// tableExists reports whether a load met a table that somebody else has made meanwhile: going on would mix two loads.
func tableExists(err error) bool {
	var e *sqldb.Error
	return errors.As(err, &e) && e.Code == 1050
}
