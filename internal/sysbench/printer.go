package sysbench

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"deltabench/internal/engine"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
	"deltabench/internal/workload/script"
)

// printer tells users what a run does, in sysbench's words. It is the engine's observer. The order of its calls is
// mode, starting, the engine's run with the observer's methods, then failed or final.
type printer struct {
	req    *Request
	log    *textlog.Log
	layout layout
	run    workload.Run

	hooked            workload.Hooked // nil: no report is written by the run
	intervals, totals bool            // reports that it writes
	clock             time.Time       // start of the threads
	interrupted       bool            // an interrupt has ended a hook
	overdue           bool            // a hook was ended at its time limit: no other is called until the final report

	mu        sync.Mutex
	transport *sqldb.Transport
}

var _ engine.Observer = (*printer)(nil)

// newPrinter returns the printer of a run of the request's test.
func newPrinter(req *Request, run workload.Run) *printer {
	g := req.General
	p := &printer{req: req, log: req.Log, run: run, layout: layout{
		sql: req.Test.SQL(), percentile: g.Percentile, face: req.Face, compat: g.Compat,
		rate: g.Rate > 0, debug: g.Debug,
	}}
	if r, ok := run.(workload.Reporter); ok {
		p.layout.head = r.Report
	}
	if h, ok := run.(workload.Hooked); ok {
		p.hooked = h
		p.intervals, p.totals = h.Hooks()
	}
	if head := head04(req, run); head != nil && g.Compat == compat04 {
		p.layout.head = head
	}
	return p
}

// mode writes the mode block with the test's part.
func (p *printer) mode() {
	if old(p.layout.compat) {
		oldModeBlock(p.log, p.req)
	} else {
		modeBlock(p.log, p.req.General)
	}
	p.run.Mode(p.log)
}

// starting is called after the test's preparation and before threads are created.
func (p *printer) starting() {
	g := p.req.General
	if g.ReportInterval > 0 {
		p.log.Debugf("Reporting thread started")
	}
	if len(g.Checkpoints) > 0 {
		p.log.Debugf("Checkpoints report thread started")
	}
	if g.Rate > 0 {
		p.log.Debugf("Event generating thread started")
	}
	if !old(p.layout.compat) {
		p.log.Noticef("Initializing worker threads...\n")
	}
	for i := range g.Threads {
		p.log.Debugf("Worker thread (#%d) started", i)
		if mayUseDatabase(p.req.Test) { // options are exported to each thread's own interpreter
			warnUntyped(p.log, p.req.Untyped)
		}
	}
}

// UseTransport remembers how a connection reaches its server; the first one is reported. It may be called
// by any thread.
func (p *printer) UseTransport(t sqldb.Transport) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.transport == nil {
		p.transport = &t
	}
}

// Started is called at the start of the clock.
func (p *printer) Started() {
	p.clock = time.Now()
	for i := range p.req.General.Threads {
		p.log.Debugf("Worker thread (#%d) initialized", i)
	}
	started := "Threads started!\n"
	if p.layout.compat == compat04 {
		started = "Threads started!"
	}
	p.log.Noticef("%s", started)
	if w := p.req.General.Warmup; w > 0 {
		length := fmt.Sprintf("%d seconds", int(w.Seconds()))
		if p.req.Face == FaceDeltabench {
			length = plural(int(w.Seconds()), "second")
		}
		p.log.Noticef("Warming up for %s...\n", length)
	}
}

// WarmedUp is called at the end of the warm-up.
func (p *printer) WarmedUp() {
	if p.req.Face == FaceDeltabench {
		p.log.Noticef("Warm-up ended, measuring.\n")
	}
}

// shortInterval is the part of --report-interval that the interval at the end of a run must have to be
// printed; a shorter one has no meaning for people who compare lines.
const shortInterval = 0.95

// Interval prints one interval.
func (p *printer) Interval(iv engine.Interval) {
	g := p.req.General
	switch {
	case g.ReportInterval == 0:
		return
	case iv.Last && !g.ClearLines && float64(iv.Length) < shortInterval*float64(g.ReportInterval):
		return
	case iv.Warmup:
		if p.req.Face == FaceDeltabench { // marked, so that nobody takes it for a measurement
			p.log.Stamped(seconds(iv.Elapsed), "warm-up: %.2f events/s", perSecond(iv.Events, iv.Length))
		}
		return
	}
	if p.intervals {
		p.hook(workload.HookInterval, intervalStat(p.layout, iv))
		return
	}
	p.layout.sql = p.req.Test.SQL() // a script's may come to it at any time
	if r, ok := p.run.(workload.IntervalReporter); ok {
		r.Interval(p.log, seconds(iv.Due), workload.Totals{Events: iv.Events, Seconds: seconds(iv.Length)})
		return
	}
	if g.ClearLines {
		p.layout.clearLine(p.log, iv)
		return
	}
	p.layout.intervalLine(p.log, iv)
}

// Checkpoint prints a full report in the middle of a run.
func (p *printer) Checkpoint(r engine.Report) {
	p.log.Stamped(seconds(r.Elapsed), "Checkpoint report:")
	p.cumulative(workload.HookCheckpoint, r, p.req.General.Threads)
}

// cumulative writes a full report, or has the run write it.
func (p *printer) cumulative(kind workload.HookKind, r engine.Report, threads int) {
	if p.totals {
		p.hook(kind, totalStat(p.layout, r, threads))
		return
	}
	p.layout.sql = p.req.Test.SQL()
	p.layout.cumulative(p.log, r)
}

// hook has the run write a report.
func (p *printer) hook(kind workload.HookKind, st workload.Stat) {
	if (p.overdue || p.interrupted) && kind != workload.HookFinal {
		return
	}
	switch err := p.hooked.Hook(kind, st, p.hookLimit(kind)); {
	case err == nil:
	case errors.Is(err, workload.ErrOverdue):
		p.overdue = true
		p.log.Fatalf("`%s' function failed: it was still running %d seconds after the time limit and was ended", functionOf(err, ""), int(engine.DefaultGrace/time.Second))
	case interruptedIn(p.req, "", err):
		p.interrupted = true
	default:
		p.functionFailed("", err)
	}
}

// hookLimit is when a hook that begins now is ended, since the run waits for it: after the time limit as events are. The
// one of the final report has no limit.
func (p *printer) hookLimit(kind workload.HookKind) time.Time {
	g := p.req.General
	if g.Time == 0 || kind == workload.HookFinal {
		return time.Time{}
	}
	end := p.clock.Add(g.Warmup + g.Time)
	if now := time.Now(); now.After(end) { // the last interval
		end = now
	}
	return end.Add(engine.DefaultGrace)
}

// functionOf is the function of a script that an error is blamed on.
func functionOf(err error, function string) string {
	var e *script.Error
	if errors.As(err, &e) {
		function = e.Function
	}
	return function
}

// interruptedIn reports whether the error of a function of a script is that of an interrupt, and tells so.
func interruptedIn(req *Request, function string, err error) bool {
	if !errors.Is(err, sqldb.ErrInterrupted) {
		return false
	}
	if function = functionOf(err, function); function == "" {
		req.Log.Fatalf("Interrupted while the script was loaded")
	} else {
		req.Log.Fatalf("`%s' function was interrupted", function)
	}
	return true
}

// ThreadError prints the error that ended a thread.
func (p *printer) ThreadError(thread int, phase engine.Phase, err error) {
	function := "thread_run"
	switch phase {
	case engine.PhaseInit:
		function = "thread_init"
	case engine.PhaseDone:
		function = "thread_done"
	}
	if p.req.failures != nil {
		p.req.failures.add(p.req, function, err)
	} else {
		p.functionFailed(function, err)
	}
	if phase == engine.PhaseInit {
		p.log.Debugf("Worker thread (#%d) failed to initialize!", thread)
	}
}

// functionFailed prints an error the way sysbench does: the failed function of a script for SQL tests, just
// the text for compiled-in ones.
func (p *printer) functionFailed(function string, err error) { functionFailed(p.req, function, err) }

// functionFailed logs the error of a function of the test; for commands the function is the name of the
// function that sysbench calls, workload.Command.Function.
func functionFailed(req *Request, function string, err error) {
	noteFailure(req, err)
	if text := failureText(req, function, err); text != "" {
		req.Log.Fatalf("%s", text)
	}
}

// noteFailure keeps the advice for a failure, and writes where a panic was.
func noteFailure(req *Request, err error) {
	var stack *engine.PanicError
	switch {
	case errors.As(err, &stack):
		req.Log.Debugf("%s", stack.Stack)
	case scriptOf(req.Test) != nil:
		req.advice.note(req, serverError(req, err))
	default:
		req.advice.note(req, err)
	}
}

// failureText is what functionFailed says; empty: nothing.
func failureText(req *Request, function string, err error) string {
	var stack *engine.PanicError
	switch {
	case errors.As(err, &stack):
		return fmt.Sprintf("internal error in %s of the test '%s': %v (please report this)", function, req.Name, stack.Value)
	case scriptOf(req.Test) != nil:
		return scriptErrorText(function, err)
	case compiled(req.Test):
		return err.Error()
	case req.Face == FaceDeltabench: // the test is no script
		return fmt.Sprintf("`%s' function failed: %s", function, err)
	}
	return fmt.Sprintf("`%s' function failed: %s", function, scriptText(err))
}

// failed prints why a run never started and returns the exit code.
func (p *printer) failed(err error) int {
	var init *engine.InitError
	switch {
	case !errors.As(err, &init):
		p.log.Fatalf("%s", err)
		return ExitFailure
	case init.Timeout:
		p.log.Fatalf("Worker threads failed to initialize within %d seconds!", int(p.req.General.InitTimeout.Seconds()))
		if p.req.Face == FaceDeltabench && p.req.Test.SQL() {
			p.log.Noticef("%s", notReady(init.Waiting, p.req.General.Threads, init.Steps))
			p.log.Noticef("Hint: %s", silent(p.req, init.Waiting))
		}
		return ExitForced
	}
	p.log.Fatalf("Thread initialization failed!")
	p.req.advice.print(p.log)
	return ExitFailure
}

// final prints the reports of a finished run and returns the exit code.
func (p *printer) final(res *engine.Result) int {
	g := p.req.General
	if errors.Is(res.Err, engine.ErrQueueFull) {
		p.log.Fatalf("The event queue is full. This means the worker threads are unable to keep up with the specified event generation rate")
	}
	p.exiting(res)
	if res.Err != nil && p.req.Face == FaceSysbench {
		return ExitFailure
	}
	if res.Forced && res.EndedBy == engine.TimeLimit {
		p.forced(res)
	} else if g.Histogram {
		histogram(p.log, &res.Latency.Log)
	}
	if res.Forced && res.EndedBy == engine.Interrupted {
		p.log.Warnf("%s did not end after the interrupt: cut short", plural(res.Unfinished, "event"))
	}
	if res.Err != nil {
		// What was measured until the error is not a result: it is shown only as far as it explains the end.
		p.additions().explain(p.log, res)
		p.req.advice.print(p.log)
		return ExitFailure
	}
	p.cumulative(workload.HookFinal, res.Report, 0)
	p.additions().write(p.log, res)
	switch {
	case res.EndedBy == engine.Interrupted || p.interrupted:
		return ExitInterrupted
	case res.Forced:
		return ExitForced
	}
	return ExitOK
}

// exiting writes what each thread says when it ends.
func (p *printer) exiting(res *engine.Result) {
	text := ""
	switch res.EndedBy {
	case engine.TimeLimit:
		text = "Time limit exceeded, exiting..."
	case engine.EventLimit:
		if p.layout.compat != compat04 {
			text = "Event limit exceeded, exiting..."
		}
	}
	if res.Forced {
		return
	}
	if text != "" {
		for range p.req.General.Threads {
			p.log.Infof("%s", text)
		}
	}
	level := textlog.Info
	if p.layout.compat == compat04 {
		level = textlog.Notice
	}
	p.log.Printf(level, "Done.\n")
}

// forced writes why running events were cut short.
func (p *printer) forced(res *engine.Result) {
	if p.req.General.ForcedShutdown {
		p.log.Fatalf("The --max-time limit has expired, forcing shutdown...")
		return
	}
	was := "were"
	if res.Unfinished == 1 {
		was = "was"
	}
	p.log.Warnf("%s %s still running %d seconds after the time limit and %s interrupted; --forced-shutdown=off waits", plural(res.Unfinished, "event"), was,
		int(engine.DefaultGrace/time.Second), was)
}

// additions is what deltabench prints beyond sysbench's report.
func (p *printer) additions() extra {
	x := extra{g: p.req.General, sql: p.layout.sql, doubts: p.req.doubts}
	if x.sql {
		x.target = targetText(p.req.General)
	}
	if l, ok := p.run.(workload.Labeller); ok {
		x.kinds = l.Kinds()
	}
	if p.req.Options.Has("table_size") {
		x.dist = distributionText(p.req.General.Random)
	}
	if k, ok := p.run.(workload.Keyer); ok {
		x.dist = k.Keys()
	}
	p.mu.Lock()
	x.transport = p.transport
	p.mu.Unlock()
	return x
}

// explain prints the part of the additions that helps to understand a failed run.
func (x extra) explain(log *textlog.Log, res *engine.Result) {
	if x.g.ReportErrors && len(res.Errors) > 0 {
		errorTable(log, res)
	}
}

// statementKinds are the names to record latency by statement under; empty unless it was asked for.
func (p *printer) statementKinds() []string {
	if !p.req.General.ByStatement {
		return nil
	}
	if l, ok := p.run.(workload.Labeller); ok {
		return l.Kinds()
	}
	return nil
}

// scriptText is an error as sysbench's Lua would word it: file, line and message.
func scriptText(err error) string {
	var s *workload.ScriptError
	if errors.As(err, &s) && s.Position != "" {
		return fmt.Sprintf("%s/%s: %s", dataDirs[0], s.Position, s.Error())
	}
	return err.Error()
}
