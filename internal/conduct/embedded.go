package conduct

import (
	"context"
	"crypto/rand"
	"time"

	"deltabench/internal/admin"
	"deltabench/internal/evidence"
	"deltabench/internal/study"
	"deltabench/internal/target"
)

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
