package script

import (
	"errors"
	"fmt"
	"time"

	"deltabench/internal/sqldb"
	lua "deltabench/internal/third_party/gopher-lua"
	"deltabench/internal/workload"
)

// Hooks reports which reports the script writes itself.
func (r *run) Hooks() (intervals, totals bool) { return r.script.intervals, r.script.totals }

// StartReports makes the states of the reports that there will be.
func (r *run) StartReports(intervals, checkpoints bool) error {
	make := func(role Role) (*State, error) {
		t := r.script.main.Thread
		t.ID, t.Env = t.Threads, newHostEnv(r.script.main.host().process)
		t.Rand = r.script.host.Random.NewSource()
		s, err := r.script.newState(role, t)
		if err == nil {
			s.export()
		}
		return s, err
	}
	var err error
	if intervals {
		if r.reporter, err = make(Reporter); err != nil {
			return err
		}
	}
	if checkpoints {
		r.checkpoints, err = make(Checkpoints)
	}
	return err
}

// EndReports ends the states of reports in the middle of the run.
func (r *run) EndReports() {
	for _, s := range []**State{&r.checkpoints, &r.reporter} {
		if *s != nil {
			(*s).close()
			*s = nil
		}
	}
}

// Hook calls the script's hook for a report.
func (r *run) Hook(kind workload.HookKind, st workload.Stat, until time.Time) error {
	s, name := r.script.main, "report_cumulative"
	switch kind {
	case workload.HookInterval:
		s, name = r.reporter, "report_intermediate"
	case workload.HookCheckpoint:
		s = r.checkpoints
	case workload.HookFinal:
	}
	if s == nil {
		return nil
	}
	fn := s.hook(name)
	if fn == nil {
		return &Error{Function: name, Text: "attempt to call a nil value"}
	}
	env := s.host()
	env.last()
	defer env.limit(until)()
	err := s.call(fn, 0, s.stat(kind, st))
	if errors.Is(err, sqldb.ErrInterrupted) && env.overdue.Load() {
		return &Error{Function: name, Text: workload.ErrOverdue.Error(), Err: workload.ErrOverdue}
	}
	return s.errorOf(name, err)
}

// host is the Env of a state that is no thread.
func (s *State) host() *hostEnv { return s.Thread.Env.(*hostEnv) }

// stat is the table that hooks get.
func (s *State) stat(kind workload.HookKind, st workload.Stat) *lua.LTable {
	t := s.L.NewTable()
	set := func(name string, v float64) { t.RawSetString(name, lua.LNumber(v)) }
	set("threads_running", float64(st.Threads))
	set("time_interval", st.Interval)
	set("time_total", st.Total)
	set("latency_pct", st.LatencyPct)
	set("events", float64(st.Events))
	set("reads", float64(st.Reads))
	set("writes", float64(st.Writes))
	set("other", float64(st.Others))
	set("errors", float64(st.Errors))
	set("reconnects", float64(st.Reconnects))
	if kind == workload.HookInterval {
		set("queue_length", float64(st.Queue))
		set("concurrency", float64(st.Concurrency))
		return t
	}
	set("latency_min", st.LatencyMin)
	set("latency_max", st.LatencyMax)
	set("latency_avg", st.LatencyAvg)
	set("latency_sum", st.LatencySum)
	return t
}

// openReports sets sysbench.report_default and its kin.
func (s *State) openReports() {
	s.setFunc(s.sysbench, "report_default", func(L *lua.LState) int {
		st := readStat(L)
		percentile := s.L.GetField(s.optTable(), "percentile")
		n, _ := percentile.(lua.LNumber)
		s.print(fmt.Sprintf("[ %.0fs ] thds: %d tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,%d%%): %4.2f err/s %4.2f reconn/s: %4.2f\n",
			st.time, st.threads, st.tps, st.reads+st.writes+st.other, st.reads, st.writes, st.other, int(n), st.latency, st.errors, st.reconnects))
		return 0
	})
	s.setFunc(s.sysbench, "report_csv", func(L *lua.LState) int {
		st := readStat(L)
		s.print(fmt.Sprintf("%.0f,%d,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f\n",
			st.time, st.threads, st.tps, st.reads+st.writes+st.other, st.reads, st.writes, st.other, st.latency, st.errors, st.reconnects))
		return 0
	})
	s.setFunc(s.sysbench, "report_json", func(L *lua.LState) int {
		st := readStat(L)
		separator := ",\n"
		if !s.array {
			s.array, separator = true, "[\n"
			s.onClose(func() { s.print("\n]\n") })
		}
		s.print(separator + fmt.Sprintf(jsonElement,
			st.time, st.threads, st.tps, st.reads+st.writes+st.other, st.reads, st.writes, st.other, st.latency, st.errors, st.reconnects))
		return 0
	})
}

const jsonElement = `  {
    "time": %4.0f,
    "threads": %d,
    "tps": %4.2f,
    "qps": {
      "total": %4.2f,
      "reads": %4.2f,
      "writes": %4.2f,
      "other": %4.2f
    },
    "latency": %4.2f,
    "errors": %4.2f,
    "reconnects": %4.2f
  }`

// optTable is sysbench.opt, or an empty table.
func (s *State) optTable() lua.LValue {
	if t, ok := s.sysbench.RawGetString("opt").(*lua.LTable); ok {
		return t
	}
	return s.L.NewTable()
}

// rates are the figures of a report, per second where they are counts.
type rates struct {
	time                                                   float64
	threads                                                int
	tps, reads, writes, other, latency, errors, reconnects float64
}

// readStat reads the table that a hook was given.
func readStat(L *lua.LState) rates {
	t := L.CheckTable(1)
	get := func(name string) float64 {
		n, ok := t.RawGetString(name).(lua.LNumber)
		if !ok {
			raise(L, "the statistics have no number %s", name)
		}
		return float64(n)
	}
	interval := get("time_interval")
	per := func(name string) float64 {
		if interval <= 0 {
			return 0
		}
		return get(name) / interval
	}
	return rates{
		time: get("time_total"), threads: int(get("threads_running")), tps: per("events"), reads: per("reads"),
		writes: per("writes"), other: per("other"), latency: get("latency_pct") * 1000, errors: per("errors"), reconnects: per("reconnects"),
	}
}
