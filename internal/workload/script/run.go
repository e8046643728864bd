package script

import (
	"errors"
	"strings"

	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	lua "deltabench/internal/third_party/gopher-lua"
	"deltabench/internal/workload"
)

// run is one run of a script.
type run struct {
	script      *Script
	reporter    *State // of interval reports; nil without
	checkpoints *State
}

var (
	_ workload.Blocker = (*run)(nil)
	_ workload.Hooked  = (*run)(nil)
	_ workload.Ender   = (*run)(nil)
)

// Mode says which way of execution the script forces, on our face.
func (r *run) Mode(log *textlog.Log) {
	if calls := r.script.code.blocking; len(calls) > 0 && r.script.host.Ours {
		log.Noticef("The script waits outside of the database (%s): each thread has an operating system thread while it does\n", strings.Join(calls, ", "))
	}
}

// Blocking reports whether the script has calls that would block an event loop.
func (r *run) Blocking() bool { return len(r.script.code.blocking) > 0 }

// Thread makes a thread's state and calls thread_init.
func (r *run) Thread(t workload.ThreadContext) (workload.Worker, error) {
	s, err := r.script.newState(Worker, t)
	if err != nil {
		return nil, err
	}
	s.export()
	w := &worker{state: s, id: lua.LNumber(t.ID)}
	if err := s.callGlobal("thread_init", w.id); err != nil {
		s.close()
		return nil, err
	}
	return w, nil
}

// End calls the script's done.
func (r *run) End() error {
	s := r.script.main
	s.host().last()
	return s.callGlobal("done")
}

// worker is a thread of a run.
type worker struct {
	state *State
	id    lua.LValue
	cut   bool // a forced stop has ended an event: nothing is executed any more
}

var _ workload.Looper = (*worker)(nil)

// restart is what Event returns for an event that is to be executed again.
var restart error = &sqldb.Restart{Err: &sqldb.Error{Message: "the script asks for it"}}

// Event calls the script's event.
func (w *worker) Event() error {
	s := w.state
	more, err := s.event(w.id)
	switch {
	case err == nil && more:
		return nil
	case err == nil:
		return workload.ErrStop
	}
	return w.failed(err)
}

// failed turns an error of Lua code into that of the thread.
func (w *worker) failed(err error) error {
	if errors.Is(err, sqldb.ErrInterrupted) {
		w.cut = true
		return err
	}
	if t := restarts(err); t != nil {
		if err := w.state.beforeRestart(t); err != nil {
			return w.state.errorOf("thread_run", err)
		}
		return restart
	}
	return w.state.errorOf("thread_run", err)
}

// event calls event and reports whether the thread goes on.
func (s *State) event(id lua.LValue) (more bool, err error) {
	L := s.L
	L.Push(L.GetGlobal("event"))
	L.Push(id)
	if err := L.PCall(1, 1, nil); err != nil {
		return false, err
	}
	result := L.Get(-1)
	L.Pop(1)
	return !lua.LVAsBool(result), nil
}

// beforeRestart calls the hook before an event is executed again.
func (s *State) beforeRestart(t *lua.LTable) error {
	if fn := s.hook("before_restart_event"); fn != nil {
		return s.call(fn, 0, t)
	}
	return nil
}

// Loops reports whether the script has a loop of events of its own.
func (w *worker) Loops() bool { return w.state.L.GetGlobal("thread_run") != w.state.predef }

// Loop calls the script's thread_run.
func (w *worker) Loop(c workload.Control) error {
	s := w.state
	s.control = c
	defer func() { s.control = nil }()
	fn := s.L.GetGlobal("thread_run")
	if _, ok := fn.(*lua.LFunction); !ok {
		return &Error{Function: "thread_run", Text: "attempt to call a " + fn.Type().String() + " value"}
	}
	err := s.call(fn, 0, w.id)
	if errors.Is(err, sqldb.ErrInterrupted) {
		w.cut = true
		return err
	}
	return s.errorOf("thread_run", err)
}

// Done calls thread_done and ends the state.
func (w *worker) Done() error {
	defer w.state.close()
	if w.cut || w.state.breathe() != nil {
		return nil
	}
	return w.state.callGlobal("thread_done", w.id)
}

// openLoop sets the predefined thread_run. The engine has the same loop; this one is for scripts that call it in theirs.
func (s *State) openLoop() {
	s.predef = s.L.NewFunction(func(L *lua.LState) int {
		id := L.Get(1)
		if s.control == nil {
			raise(L, "thread_run is called by the threads of a run")
		}
		for s.moreEvents(L) {
			s.control.Start()
			for {
				more, err := s.event(id)
				if err == nil && !more {
					return 0
				}
				if err == nil {
					break
				}
				t := restarts(err)
				if t == nil {
					rethrow(L, err)
				}
				if err := s.beforeRestart(t); err != nil {
					rethrow(L, err)
				}
				if err := s.breathe(); err != nil {
					L.Throw(lua.Uncatchable(err))
				}
			}
			s.control.Stop()
		}
		return 0
	})
	s.L.SetGlobal("thread_run", s.predef)
}

// moreEvents asks for the next event of a loop of the script's own.
func (s *State) moreEvents(L *lua.LState) bool {
	if s.control == nil {
		return false
	}
	more, err := s.control.More()
	if err != nil {
		interrupted(L, err)
		raise(L, "%s", err)
	}
	return more
}

// rethrow raises an error that a call has returned, with the same value.
func rethrow(L *lua.LState, err error) {
	var api *lua.ApiError
	if errors.As(err, &api) {
		L.Throw(api)
	}
	raise(L, "%s", err)
}

// breathe lets other threads run that wait for the same loop, and reports a forced stop.
func (s *State) breathe() error {
	if b, ok := s.Thread.Env.(sqldb.Breather); ok {
		return b.Breathe()
	}
	if s.Thread.Env.Stopping() {
		return sqldb.ErrInterrupted
	}
	return nil
}
