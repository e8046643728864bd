package conduct

import (
	"context"

	"deltabench/internal/admin"
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
