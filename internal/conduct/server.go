package conduct

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/admin"
	"deltabench/internal/compare"
	"deltabench/internal/evidence"
	"deltabench/internal/study"
	"deltabench/internal/target"
)

// server is the server of a target, as the study handles it.
type server interface {
	// open makes it possible to begin scenarios: finds programs, makes data images.
	open(ctx context.Context) error
	// begin brings server and data into the state that a scenario of a round starts from, without its globals and SQL.
	begin(ctx context.Context, s *study.Scenario, round int) (evidence.Start, error)
	// end ends a scenario of a round; a server that is to stay runs on.
	end(ctx context.Context, s *study.Scenario, round int) error
	// address is where the server of the scenario that has begun is reached.
	address(s *study.Scenario) (admin.Address, error)
	pid() int
	crashed() (string, bool)
	// ours reports whether nobody else's settings can be changed: the server's data are thrown away, or it ends with the scenario.
	ours() bool
	// fresh reports whether begin makes data anew, so that they need no look.
	fresh() bool
	close(keep bool) error
}

// newServer returns the server of a target.
func (c *conductor) newServer(i int) server {
	t := &c.plan.Targets[i]
	switch t.Kind {
	case study.Managed:
		return &managedTarget{c: c, t: t, index: i, servers: map[string]*target.ManagedServer{}}
	case study.External:
		return &externalTarget{c: c, t: t}
	}
	return &embeddedTarget{c: c, t: t}
}

// managedTarget has a server for each program and, where servers stay as they were started, for each scenario.
type managedTarget struct {
	c       *conductor
	t       *study.Target
	index   int
	servers map[string]*target.ManagedServer
	now     *target.ManagedServer // of the scenario that has begun
	started map[*target.ManagedServer]evidence.Start
}

// each reports whether every scenario has a server of its own that is started once.
func (m *managedTarget) each() bool { return m.c.plan.Starts(m.index) == compare.OneStartEach }

// binary finds the program of a scenario.
func (m *managedTarget) binary(s *study.Scenario) (target.Binary, error) {
	spec := m.t.Managed.Server
	if s.Binary != "" {
		spec = s.Binary
	}
	return target.FindServer(spec)
}

// dirOf is the directory of a server, by its program and maybe its scenario.
func (m *managedTarget) dirOf(key string) string {
	return filepath.Join(m.c.dir, "servers", strings.NewReplacer("/", "_", " ", "_").Replace(m.t.Name+"-"+key))
}

func (m *managedTarget) open(ctx context.Context) error {
	m.started = map[*target.ManagedServer]evidence.Start{}
	for i := range m.t.Scenarios {
		s := &m.t.Scenarios[i]
		b, err := m.binary(s)
		if err != nil {
			return &Problem{Where: "target " + m.t.Name, What: err.Error(), Guard: true}
		}
		base, err := m.image(ctx, b)
		if err != nil {
			return err
		}
		if m.t.Managed.Replica != "" && m.each() {
			return &Problem{Where: "target " + m.t.Name, What: "a replica needs a server that is started for each scenario", Fix: "state: restart or restore", Guard: true}
		}
		if !m.each() {
			continue
		}
		key := b.Path + "-" + s.Name
		if m.servers[key] == nil {
			if m.servers[key], err = base.Copy(ctx, m.dirOf(key)); err != nil {
				return err
			}
		}
	}
	return nil
}

// image returns the server of a program with its data image, which is made when it is not there.
func (m *managedTarget) image(ctx context.Context, b target.Binary) (*target.ManagedServer, error) {
	if s := m.servers[b.Path]; s != nil {
		return s, nil
	}
	s, err := target.NewManaged(target.ManagedConfig{Binary: b, Dir: m.dirOf(b.Path), Init: m.t.Managed.Init, CPUs: m.c.plan.CPUs.Server})
	if err != nil {
		return nil, err
	}
	m.servers[b.Path] = s
	if s.HasImage() {
		return s, m.replica(ctx, s)
	}
	begin := time.Now()
	m.c.say(Event{Kind: TargetPreparing, Text: fmt.Sprintf("%s: initialise %s", m.t.Name, b)})
	if err := s.Initialise(ctx); err != nil {
		return nil, m.c.refuse(ctx, "target "+m.t.Name, err)
	}
	if err := s.Start(ctx, m.t.Managed.Options); err != nil {
		return nil, m.c.refuse(ctx, "target "+m.t.Name, err)
	}
	err = m.c.prepare(ctx, m.t, s.Address())
	if err = errors.Join(err, s.Stop(context.WithoutCancel(ctx))); err != nil {
		return nil, m.c.refuse(ctx, "target "+m.t.Name, err)
	}
	if err := s.SaveImage(ctx); err != nil {
		return nil, m.c.refuse(ctx, "target "+m.t.Name, err)
	}
	m.c.say(Event{Kind: TargetPreparing, Text: fmt.Sprintf("%s: data image ready after %.0f s", m.t.Name, time.Since(begin).Seconds())})
	return s, m.replica(ctx, s)
}

// replica adds the replica that the target asks for.
func (m *managedTarget) replica(ctx context.Context, s *target.ManagedServer) error {
	if m.t.Managed.Replica == "" {
		return nil
	}
	return s.AddReplica(ctx, m.t.Managed.Replica)
}

// options are those of a start: the target's, then the scenario's.
func (m *managedTarget) options(s *study.Scenario) []study.Option {
	return append(append([]study.Option(nil), m.t.Managed.Options...), s.Server...)
}

func (m *managedTarget) begin(ctx context.Context, s *study.Scenario, _ int) (evidence.Start, error) {
	b, err := m.binary(s)
	if err != nil {
		return evidence.Start{}, err
	}
	srv := m.servers[b.Path]
	if m.each() {
		srv = m.servers[b.Path+"-"+s.Name]
	}
	m.now = srv
	begin := time.Now()
	state := m.c.plan.State
	_, before := m.started[srv]
	running := srv.PID() != 0
	if _, dead := srv.Crashed(); dead {
		_ = srv.Stop(ctx)
		running = false
	}
	switch {
	case state == study.Restore || !before && !running:
		if err := errors.Join(srv.Stop(ctx), srv.Restore(ctx)); err != nil {
			return evidence.Start{}, err
		}
	case state == study.Restart:
		if err := srv.Stop(ctx); err != nil {
			return evidence.Start{}, err
		}
	case running:
		start := m.started[srv]
		if state == study.Reset {
			if err := m.c.prepareAgain(ctx, m.t, srv.Address()); err != nil {
				return start, err
			}
		}
		return start, nil
	}
	// A server at a time, unless they are to stay: the others would take memory and CPU.
	if !m.each() {
		for _, other := range m.servers {
			if other != srv {
				if err := other.Stop(ctx); err != nil {
					return evidence.Start{}, err
				}
			}
		}
	}
	if err := srv.Start(ctx, m.options(s)); err != nil {
		return evidence.Start{}, err
	}
	start := evidence.Start{ID: rand.Text(), At: time.Now(), PID: srv.PID(), Version: srv.Version(), Seconds: time.Since(begin).Seconds()}
	for _, o := range m.options(s) {
		start.Options = append(start.Options, o.Name+"="+o.Value)
	}
	m.started[srv] = start
	return start, nil
}

func (m *managedTarget) end(ctx context.Context, _ *study.Scenario, _ int) error {
	switch m.c.plan.State {
	case study.Restore, study.Restart:
		return m.now.Stop(ctx)
	}
	return nil
}

func (m *managedTarget) address(s *study.Scenario) (admin.Address, error) {
	if s != nil && s.Connect == "tcp" {
		return m.now.AddressTCP(), nil
	}
	return m.now.Address(), nil
}

func (m *managedTarget) pid() int {
	if m.now == nil {
		return 0
	}
	return m.now.PID()
}

func (m *managedTarget) crashed() (string, bool) {
	if m.now == nil {
		return "", false
	}
	return m.now.Crashed()
}

func (m *managedTarget) ours() bool {
	return m.c.plan.State == study.Restore || m.c.plan.State == study.Restart || m.each()
}

func (m *managedTarget) fresh() bool { return m.c.plan.State == study.Restore }

func (m *managedTarget) close(keep bool) error {
	var errs []error
	for _, s := range m.servers {
		if keep {
			errs = append(errs, s.Leave())
		} else {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// externalTarget is somebody else's server.
type externalTarget struct {
	c     *conductor
	t     *study.Target
	local int // process of the server, when it is on this machine
}

// addressOf is an address with its password.
func (c *conductor) addressOf(d study.DSN) (admin.Address, error) {
	password, err := d.Secret(c.Getenv)
	return admin.Address{User: d.User, Password: password, Host: d.Host, Port: d.Port, Socket: d.Socket, DB: d.DB, TLS: d.TLS}, err
}

func (e *externalTarget) address(s *study.Scenario) (admin.Address, error) {
	d := e.t.External.DSN
	if s != nil && s.DSN != nil {
		d = *s.DSN
	}
	return e.c.addressOf(d)
}

// addresses are all servers that scenarios of the target go to, each once.
func (e *externalTarget) addresses() ([]admin.Address, error) {
	var list []admin.Address
	seen := map[string]bool{}
	for i := range e.t.Scenarios {
		a, err := e.address(&e.t.Scenarios[i])
		if err != nil {
			return nil, &Problem{Where: "target " + e.t.Name, What: err.Error(), Guard: true}
		}
		if !seen[a.String()] {
			seen[a.String()] = true
			list = append(list, a)
		}
	}
	return list, nil
}

func (e *externalTarget) open(ctx context.Context) error {
	list, err := e.addresses()
	if err != nil {
		return err
	}
	for _, a := range list {
		s, err := admin.Open(ctx, a)
		if err != nil {
			return e.c.refuse(ctx, "target "+e.t.Name, err)
		}
		err = e.look(ctx, s, a)
		s.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// look decides whether a server may be measured, and makes its tables when there are none.
func (e *externalTarget) look(ctx context.Context, s *admin.Server, a admin.Address) error {
	if _, err := putBack(ctx, s, e.memory(a)); err != nil {
		return err
	}
	reasons, err := s.Production(ctx, a.DB)
	if err != nil {
		return err
	}
	if len(reasons) > 0 && !e.c.Yes {
		return &Problem{Where: "target " + e.t.Name, What: fmt.Sprintf("the server at %s looks like production: %s", a, strings.Join(reasons, "; ")), Fix: "give --yes if it may be measured", Guard: true}
	}
	return e.c.prepareMissing(ctx, e.t, s, a)
}

func (e *externalTarget) memory(a admin.Address) string {
	return memoryPath(e.c.dir, e.t.Name+"-"+a.String())
}

// environment is what hooks are told.
func (e *externalTarget) environment(s *study.Scenario, round int) []string {
	var options []string
	for _, o := range s.Server {
		options = append(options, o.Name+"="+o.Value)
	}
	return []string{"DELTABENCH_TARGET=" + e.t.Name, "DELTABENCH_SCENARIO=" + s.Name, "DELTABENCH_ROUND=" + strconv.Itoa(round), "DELTABENCH_OPTIONS=" + strings.Join(options, "\n")}
}

func (e *externalTarget) hook(ctx context.Context, name string, s *study.Scenario, round int) error {
	h, ok := e.t.External.Hooks[name]
	if !ok {
		return nil
	}
	return target.RunHook(ctx, name, h, e.environment(s, round))
}

// comeBack is how long a server may take until it answers after a restart.
const comeBack = 5 * time.Minute

func (e *externalTarget) begin(ctx context.Context, s *study.Scenario, round int) (evidence.Start, error) {
	begin := time.Now()
	if err := e.hook(ctx, "before", s, round); err != nil {
		return evidence.Start{}, err
	}
	if e.c.plan.State == study.Restart {
		if err := e.hook(ctx, "restart", s, round); err != nil {
			return evidence.Start{}, err
		}
	}
	a, err := e.address(s)
	if err != nil {
		return evidence.Start{}, err
	}
	srv, err := admin.Open(ctx, a)
	for end := time.Now().Add(comeBack); err != nil && admin.NotThere(err) && time.Now().Before(end) && ctx.Err() == nil; srv, err = admin.Open(ctx, a) {
		time.Sleep(time.Second / 4)
	}
	if err != nil {
		return evidence.Start{}, err
	}
	defer srv.Close()
	if e.c.plan.State == study.Reset {
		if err := e.c.prepareAgain(ctx, e.t, a); err != nil {
			return evidence.Start{}, err
		}
	}
	id, at, err := srv.StartID(ctx)
	if err != nil {
		return evidence.Start{}, err
	}
	version, err := srv.Version(ctx)
	e.local = localPID(ctx, srv, a)
	return evidence.Start{ID: a.String() + " " + id, At: at, PID: e.local, Version: version, Seconds: time.Since(begin).Seconds()}, err
}

func (e *externalTarget) end(ctx context.Context, s *study.Scenario, round int) error {
	return e.hook(ctx, "after", s, round)
}

// pid is the process of the server of the scenario that has begun.
func (e *externalTarget) pid() int { return e.local }

// localPID is the process of a server on this machine, by its process id file and what the system calls the process; 0: it is not here,
// or not to be seen.
func localPID(ctx context.Context, s *admin.Server, a admin.Address) int {
	if a.Socket == "" && a.Host != "127.0.0.1" && a.Host != "::1" && a.Host != "localhost" {
		return 0
	}
	v, err := s.Variables(ctx)
	if err != nil {
		return 0
	}
	path := v["pid_file"]
	if !filepath.IsAbs(path) {
		path = filepath.Join(v["datadir"], path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		return 0
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil || !strings.Contains(string(name), "mysqld") && !strings.Contains(string(name), "mariadbd") {
		return 0
	}
	return pid
}

func (*externalTarget) crashed() (string, bool) { return "", false }
func (*externalTarget) ours() bool              { return false }
func (*externalTarget) fresh() bool             { return false }
func (*externalTarget) close(bool) error        { return nil }

// embeddedTarget is our own embedded server; fresh ones have no data.
type embeddedTarget struct {
	c     *conductor
	t     *study.Target
	now   *target.Embedded
	start evidence.Start
}

func (e *embeddedTarget) open(ctx context.Context) error {
	if e.c.plan.State == study.Restore {
		return nil
	}
	return e.launch(ctx)
}

// launch starts a server and makes its data.
func (e *embeddedTarget) launch(ctx context.Context) error {
	begin := time.Now()
	var err error
	if e.now, err = target.StartEmbedded(ctx); err != nil {
		return e.c.refuse(ctx, "target "+e.t.Name, err)
	}
	a, _ := e.address(nil)
	if err := e.c.prepare(ctx, e.t, a); err != nil {
		return err
	}
	e.start = evidence.Start{ID: rand.Text(), At: time.Now(), PID: e.now.PID(), Version: target.EmbeddedNote, Seconds: time.Since(begin).Seconds()}
	return nil
}

func (e *embeddedTarget) begin(ctx context.Context, _ *study.Scenario, _ int) (evidence.Start, error) {
	switch e.c.plan.State {
	case study.Restore:
		if e.now != nil {
			e.now.Close()
		}
		if err := e.launch(ctx); err != nil {
			return evidence.Start{}, err
		}
	case study.Reset:
		a, _ := e.address(nil)
		if err := e.c.prepareAgain(ctx, e.t, a); err != nil {
			return evidence.Start{}, err
		}
	}
	return e.start, nil
}

func (e *embeddedTarget) end(context.Context, *study.Scenario, int) error {
	if e.c.plan.State == study.Restore && e.now != nil {
		e.now.Close()
		e.now = nil
	}
	return nil
}

func (e *embeddedTarget) address(*study.Scenario) (admin.Address, error) {
	return admin.Address{User: e.now.User, Password: e.now.Password, Host: e.now.Host, Port: e.now.Port, DB: e.now.DB}, nil
}

func (e *embeddedTarget) pid() int {
	if e.now == nil {
		return 0
	}
	return e.now.PID()
}

func (*embeddedTarget) crashed() (string, bool) { return "", false }
func (*embeddedTarget) ours() bool              { return true }
func (e *embeddedTarget) fresh() bool           { return true }
func (e *embeddedTarget) close(bool) error {
	if e.now != nil {
		e.now.Close()
	}
	return nil
}
