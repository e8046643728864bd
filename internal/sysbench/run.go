package sysbench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"deltabench/internal/engine"
	"deltabench/internal/measure"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/sqldb/mysql"
	"deltabench/internal/workload"
	"deltabench/internal/workload/load"
	"deltabench/internal/workload/oltp"
	"deltabench/internal/workload/system"
)

// bundledTests are the tests of this program in the order of help.
func bundledTests() []workload.Test { return append(system.Tests(), oltp.Tests()...) }

// runEngine is the Runner that executes tests with the engine.
func runEngine(ctx context.Context, req *Request) int {
	g := req.General
	dist, err := random.New(g.Random)
	if err != nil {
		req.Log.Fatalf("%s", err)
		return ExitFailure
	}
	setup := workload.Setup{
		Options: req.Options, Threads: g.Threads, EventsLimit: g.Events, Log: req.Log,
		Random: random.NewProcess(), Dist: dist,
	}
	tap := &transportTap{}
	if c := scriptOf(req.Test); c != nil { // it opens its drivers itself
		setup = c.Setup()
		setup.Options, setup.Threads, setup.EventsLimit = req.Options, g.Threads, g.Events
		stop, err := startTarget(ctx, req)
		if err != nil {
			return refused(req, err)
		}
		defer stop()
	} else if req.Test.SQL() {
		stop, err := startTarget(ctx, req)
		if err != nil {
			return refused(req, err)
		}
		defer stop()
		tap.Driver = openDriver(ctx, req)
		if broken, ok := tap.Driver.(*brokenDriver); ok && req.Face == FaceDeltabench {
			r := asRefusal(broken.reason)
			if r.hint == "" && req.Database.TLS != tlsDisabled {
				r.hinted("check --mysql-ssl-ca, --mysql-ssl-cert, --mysql-ssl-key and --mysql-ssl-cipher")
			}
			req.Log.Fatalf("%s", r.as(req.Face, r.hint))
			return r.code
		}
		setup.Driver = tap
	}
	if req.Command != "run" || isCustom(req) {
		return runCommand(ctx, req, setup)
	}
	if code := fillTarget(ctx, req, setup); code != ExitOK {
		return code
	}
	return runTest(ctx, req, setup, tap)
}

// runTest executes the command run.
func runTest(ctx context.Context, req *Request, setup workload.Setup, tap *transportTap) int {
	g := req.General
	seed := uint32(g.Seed) // wraps as in C
	if seed == 0 {
		seed = uint32(time.Now().Unix())
	}
	setup.Random.Seed(seed)
	run, err := req.Test.NewRun(setup)
	if err != nil {
		if interruptedIn(req, "init", err) {
			return ExitInterrupted
		}
		functionFailed(req, "init", err)
		return ExitFailure
	}
	p := newPrinter(req, run)
	tap.printer = p
	if req.drivers != nil {
		req.drivers.begin(req, p)
	}
	rec := newRecorder(p)
	if code := rec.probe(ctx); code != ExitOK {
		return code
	}
	p.mode()
	if c, ok := run.(workload.Cleaner); ok {
		defer c.Cleanup()
	}
	if prep, ok := run.(workload.Preparer); ok {
		if err := prep.Prepare(); err != nil {
			functionFailed(req, "init", err)
			return ExitFailure
		}
	}
	if !checkLimits(ctx, req, run) {
		return ExitPreflight
	}
	if g.PreflightOnly {
		req.Log.Noticef("Pre-flight: the limits allow this run; nothing was started (--preflight-only)")
		return ExitOK
	}
	p.starting()
	if p.hooked != nil {
		defer p.hooked.EndReports()
		if err := p.hooked.StartReports(g.ReportInterval > 0, len(g.Checkpoints) > 0); err != nil {
			if interruptedIn(req, "", err) {
				return ExitInterrupted
			}
			functionFailed(req, "", err)
			return ExitFailure
		}
	}
	cfg := engineConfig(req, workload.LimitsOf(run, setup), p.statementKinds(), setup.Random)
	observer := rec.observer(&cfg)
	collectFailures(req)
	res, err := engine.Run(ctx, cfg, run, observer)
	tellFailures(req)
	switch {
	case err != nil && ctx.Err() != nil:
		req.Log.Fatalf("Interrupted while threads were initialised; nothing was measured")
		return ExitInterrupted
	case err != nil:
		return p.failed(err)
	}
	if p.hooked != nil {
		p.hooked.EndReports()
	}
	code := p.final(res)
	code = rec.record(ctx, res, rec.finish(res, code))
	if e, ok := run.(workload.Ender); ok {
		switch err := e.End(); {
		case err == nil:
		case interruptedIn(req, "done", err):
			return ExitInterrupted
		default:
			functionFailed(req, "done", err)
		}
	}
	return code
}

// scriptGC is the collector's percentage while threads of a script initialise: their interpreters are live to the end, and
// looking at them again and again costs more than the garbage of the others.
const scriptGC = 100

func engineConfig(req *Request, limits workload.Limits, kinds []string, process *random.Process) engine.Config {
	g := req.General
	cfg := engine.Config{
		Threads: g.Threads, Events: limits.Events, PerThread: limits.PerThread, Time: g.Time, Warmup: g.Warmup,
		Rate: float64(g.Rate), AbortOnFull: g.AbortOnFull, Loops: g.Loops, InitTimeout: g.InitTimeout,
		Interval: g.ReportInterval, ExtraDraw: g.Percentile > 0, Kinds: kinds, Random: process,
		Grace: engine.DefaultGrace,
	}
	if scriptOf(req.Test) != nil {
		cfg.InitGC = scriptGC
	}
	switch g.Engine {
	case "loop":
		cfg.Executor = engine.Loop
	case "goroutine":
		cfg.Executor = engine.Goroutine
	}
	switch {
	case g.ForcedOff:
		cfg.Grace = -1
	case g.ForcedShutdown:
		cfg.Grace = max(0, time.Duration(g.ForcedAfter)*time.Second-g.Time)
	}
	for _, c := range g.Checkpoints {
		cfg.Checkpoints = append(cfg.Checkpoints, time.Duration(c)*time.Second)
	}
	return cfg
}

// runCommand executes a command of the test other than run and help, in one thread, or in as many as
// asked for when the command allows that (specification 5.5).
func runCommand(ctx context.Context, req *Request, setup workload.Setup) int {
	if loads(req) {
		return runLoad(ctx, req, setup)
	}
	i := slices.IndexFunc(req.Test.Commands(), func(c workload.Command) bool { return c.Name == req.Command })
	cmd := req.Test.Commands()[i]
	name := cmd.Function
	env := sqldb.Blocking{Ctx: ctx}
	if !cmd.Parallel || setup.Threads == 1 {
		err := guard(func() error {
			return cmd.Do(setup, workload.ThreadContext{Threads: 1, Rand: setup.Random.Main(), Env: env})
		})
		return commandCode(ctx, req, name, err)
	}
	req.Log.Noticef("Initializing worker threads...\n")
	collectFailures(req)
	var wg sync.WaitGroup
	var failures atomic.Int64
	for id := range setup.Threads {
		t := workload.ThreadContext{ID: id, Threads: setup.Threads, Rand: setup.Random.NewSource(), Env: env}
		wg.Go(func() {
			if err := guard(func() error { return cmd.Do(setup, t) }); err != nil && !errors.Is(err, workload.ErrFailed) {
				failures.Add(1)
				switch {
				case errors.Is(err, sqldb.ErrInterrupted):
				case req.failures != nil:
					req.failures.add(req, name, err)
				default:
					functionFailed(req, name, err)
				}
			}
		})
	}
	wg.Wait()
	tellFailures(req)
	switch {
	case ctx.Err() != nil:
		commandInterrupted(req)
		return ExitInterrupted
	case failures.Load() > 0 && req.Face == FaceDeltabench: // sysbench hides the failure (trap 8.3)
		req.Log.Fatalf("%s failed in %d of %d threads", req.Command, failures.Load(), setup.Threads)
		req.advice.print(req.Log)
		return ExitFailure
	}
	return ExitOK
}

// commandCode tells the error of a command that ran in one thread.
func commandCode(ctx context.Context, req *Request, name string, err error) int {
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, workload.ErrFailed):
		if req.Face == FaceDeltabench {
			req.Log.Fatalf("the command '%s' returned false", req.Command)
		}
		return ExitFailure
	case ctx.Err() != nil:
		commandInterrupted(req)
		return ExitInterrupted
	}
	functionFailed(req, name, err)
	req.advice.print(req.Log)
	if name == "help" && req.Face == FaceSysbench { // which takes no notice of this one
		return ExitOK
	}
	return ExitFailure
}

// commandInterrupted tells what an interrupt leaves behind.
func commandInterrupted(req *Request) {
	switch req.Command {
	case "prepare":
		req.Log.Fatalf("prepare was interrupted; tables may be incomplete")
	case "cleanup":
		req.Log.Fatalf("cleanup was interrupted; tables may be left")
		req.Log.Noticef("Hint: the same command removes the rest")
	default:
		req.Log.Fatalf("%s was interrupted", req.Command)
	}
}

// guard turns a panic into an error, as the engine does for its threads.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = engine.NewPanicError(p)
		}
	}()
	return f()
}

// transportTap notes the transport of the first connection for the report.
type transportTap struct {
	sqldb.Driver
	printer *printer // nil: nobody asks
	request *Request // of a script, whose errors are texts: advice is for the error itself; nil for other tests
	seen    atomic.Bool
}

// Connect opens a connection as the driver does.
func (t *transportTap) Connect(env sqldb.Env, stats *measure.Thread) (sqldb.Conn, error) {
	c, err := t.Driver.Connect(env, stats)
	if err != nil && t.request != nil {
		t.request.advice.note(t.request, err)
	}
	if err == nil && t.printer != nil && t.seen.CompareAndSwap(false, true) {
		t.printer.UseTransport(c.Transport())
	}
	return c, err
}

// openDriver returns the driver that the options ask for. Mistakes in them show at the first connection, as
// in sysbench, where a test creates its driver itself.
func openDriver(ctx context.Context, req *Request) sqldb.Driver {
	if err := req.Database.Check(); err != nil {
		return &brokenDriver{req: req, reason: err}
	}
	cfg, err := mysqlConfig(req)
	if err != nil {
		return &brokenDriver{req: req, reason: err}
	}
	// Names are looked up once, for all threads, and count as their first step.
	limit := req.General.InitTimeout
	resolving, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if req.Face == FaceSysbench {
		resolving = ctx
	}
	driver, err := mysql.New(resolving, cfg)
	switch {
	case err != nil:
		return &brokenDriver{req: req, reason: err}
	case resolving.Err() != nil && ctx.Err() == nil:
		r := fatalf("Worker threads failed to initialize within %d seconds!", int(limit.Seconds())).
			hinted("all of them at resolve: no answer about the name of the host; check --mysql-host and the name servers, or give the address")
		r.code = ExitForced
		return &brokenDriver{req: req, reason: r}
	}
	return driver
}

func mysqlConfig(req *Request) (mysql.Config, error) {
	d := req.Database
	cfg := mysql.Config{
		Hosts: d.Hosts, Ports: d.Ports, Sockets: d.Sockets, User: d.User, Password: d.Password, DB: d.DB,
		LocalSocket: d.LocalSocket, NameSocket: req.Face == FaceDeltabench,
		TLSCA: d.TLSCA, TLSLate: req.Face == FaceSysbench, TLSCert: d.TLSCert, TLSKey: d.TLSKey, TLSCipher: d.TLSCipher,
		LocalInfile: loads(req) && req.General.Load != string(load.Insert), InitSQL: d.InitSQL, DryRun: d.DryRun, PSEmulate: d.PSMode == "disable", Debug: d.Debug, Log: req.Log,
	}
	if req.Face == FaceDeltabench && req.Command != "run" { // runs have a time limit for all threads
		cfg.ConnectTimeout = req.General.InitTimeout
	}
	for _, a := range d.Compression {
		if a != "uncompressed" {
			cfg.Compression = append(cfg.Compression, a)
		}
	}
	var err error
	if cfg.TLS, err = mysql.ParseTLSMode(d.TLS); err != nil {
		return cfg, err
	}
	for _, text := range d.IgnoreErrors {
		if text == "all" {
			cfg.IgnoreAllErrors = true
			continue
		}
		if code, _ := leadingInt(text); code != 0 {
			cfg.IgnoreErrors = append(cfg.IgnoreErrors, code)
		}
	}
	return cfg, nil
}

// brokenDriver fails at the first connection of each thread, with the reason in the log.
type brokenDriver struct {
	req    *Request
	reason error
}

// Name is the name that was asked for.
func (b *brokenDriver) Name() string { return b.req.Database.Driver }

// Connect fails.
func (b *brokenDriver) Connect(sqldb.Env, *measure.Thread) (sqldb.Conn, error) {
	b.req.Log.Fatalf("%s", b.reason)
	return nil, fmt.Errorf("%w: %w", workload.ErrNoDriver, b.reason)
}
