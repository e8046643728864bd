package conduct

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"deltabench/internal/admin"
	"deltabench/internal/compare"
	"deltabench/internal/evidence"
	"deltabench/internal/study"
	"deltabench/internal/target"
)

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
	case state == study.Restore || state == study.Reset && !running || !before && !running:
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
