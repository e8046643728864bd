package script

import (
	"context"
	"sync/atomic"
	"time"

	"deltabench/internal/sqldb"
)

// hostEnv is the Env of states that are no threads of a run: their calls end with the process' context. One goroutine at a
// time uses it.
type hostEnv struct {
	sqldb.Blocking
	process context.Context // ends at the first interrupt
	end     context.CancelFunc
	overdue atomic.Bool // a call was ended at its time limit
}

// lastCalls is how long a function has that is called after an interrupt, as those that write the report and clean up are.
const lastCalls = 5 * time.Second

// newHostEnv returns an Env that ends with ctx.
func newHostEnv(ctx context.Context) *hostEnv {
	own, cancel := context.WithCancel(ctx)
	return &hostEnv{Blocking: sqldb.Blocking{Ctx: own}, process: ctx, end: cancel}
}

// last has the next call be executed although there was an interrupt before.
func (e *hostEnv) last() {
	if e.process.Err() != nil {
		e.end()
		e.Ctx, e.end = context.WithTimeout(context.Background(), lastCalls)
	}
}

// limit ends what the state does at a time; the function returned takes that back. Zero is no limit.
func (e *hostEnv) limit(until time.Time) func() {
	if until.IsZero() {
		return func() {}
	}
	end := e.end
	t := time.AfterFunc(time.Until(until), func() {
		e.overdue.Store(true)
		end()
	})
	return func() { t.Stop() }
}
