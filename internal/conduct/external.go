package conduct

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/admin"
	"deltabench/internal/evidence"
	"deltabench/internal/study"
	"deltabench/internal/target"
)

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
	if _, err := putBack(context.WithoutCancel(ctx), s, e.memory(a)); err != nil { // an interrupt comes after it
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
