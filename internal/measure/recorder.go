package measure

import (
	"sort"
	"sync"
	"sync/atomic"
)

// Counters are totals of what threads did.
type Counters struct {
	Events     int64 // completed events
	Reads      int64
	Writes     int64
	Others     int64
	Errors     int64 // failed statements, ignored or not; connection losses that ended in a reconnect are not here
	Reconnects int64
	Restarts   int64 // events executed again after an ignored error
}

// Queries is reads + writes + others.
func (c Counters) Queries() int64 { return c.Reads + c.Writes + c.Others }

func (c *Counters) add(o Counters) {
	c.Events += o.Events
	c.Reads += o.Reads
	c.Writes += o.Writes
	c.Others += o.Others
	c.Errors += o.Errors
	c.Reconnects += o.Reconnects
	c.Restarts += o.Restarts
}

// ErrorCount is how often an error code was met, with the first message seen.
type ErrorCount struct {
	Code  int
	State string
	Count int64
	First string
}

// ThreadTotals are one thread's sums since the last reset, for the fairness lines.
type ThreadTotals struct {
	Events    int64
	LatencyNs int64
	MinNs     int64 // 0 without events
	MaxNs     int64
	InEventNs int64 // start of the event that is running, in the clock of the run; 0 when none is
}

// Options say what a recorder keeps beyond counters and the latency histograms.
type Options struct {
	Open bool // arrivals have a schedule: keep service and lateness histograms too
	// Warmup says that what is recorded until Discard is not measured.
	Warmup bool
	// Admit is asked whether an event that started in the warm-up and ends after it is counted; nil: it is. It is called
	// under the lock of a recorder.
	Admit func() bool
	Kinds []string // names of statement kinds, index = Kind, [0] unused; empty: no latency by statement
}

// Recorder collects the measurements of the threads of one event loop, or of a few goroutines. Its mutex
// is taken once an event and is contended only while a snapshot swaps two pointers.
type Recorder struct {
	opt     Options
	mu      sync.Mutex // guards cur, errors and the totals of threads
	cur     *bucket    // since the last drain
	threads []*Thread
	errors  map[int]*ErrorCount // whole run
	warm    bool                // what is recorded will be discarded

	// Owned by the reporter, see Set.
	spare    *bucket
	interval *bucket // drained, since the last interval
	total    *bucket // drained, since the last reset
}

// bucket is what is counted over a span of time.
type bucket struct {
	Counters
	lat      *Latency
	service  *Latency // nil in closed loops
	lateness *Latency
	kinds    []*Latency // index = Kind
}

func newBucket(opt Options) *bucket {
	b := &bucket{lat: NewLatency()}
	if opt.Open {
		b.service, b.lateness = NewLatency(), NewLatency()
	}
	if len(opt.Kinds) > 0 {
		b.kinds = make([]*Latency, len(opt.Kinds))
		for i := 1; i < len(b.kinds); i++ {
			b.kinds[i] = NewLatency()
		}
	}
	return b
}

func (b *bucket) merge(o *bucket) {
	b.Counters.add(o.Counters)
	b.lat.Merge(o.lat)
	if b.service != nil && o.service != nil {
		b.service.Merge(o.service)
		b.lateness.Merge(o.lateness)
	}
	for i := 1; i < len(b.kinds) && i < len(o.kinds); i++ {
		b.kinds[i].Merge(o.kinds[i])
	}
}

func (b *bucket) reset() {
	b.Counters = Counters{}
	b.lat.Reset()
	if b.service != nil {
		b.service.Reset()
		b.lateness.Reset()
	}
	for i := 1; i < len(b.kinds); i++ {
		b.kinds[i].Reset()
	}
}

// NewRecorder returns an empty recorder.
func NewRecorder(opt Options) *Recorder {
	return &Recorder{
		opt: opt, warm: opt.Warmup, cur: newBucket(opt), errors: map[int]*ErrorCount{},
		spare: newBucket(opt), interval: newBucket(opt), total: newBucket(opt),
	}
}

// Thread adds a thread and returns its handle. All threads are added before the run starts.
func (r *Recorder) Thread() *Thread {
	t := &Thread{rec: r, byKind: len(r.opt.Kinds) > 0}
	r.threads = append(r.threads, t)
	return t
}

// Thread is one thread's handle. Its methods are called by that thread only; a nil *Thread counts nothing.
type Thread struct {
	rec     *Recorder
	pending Counters // not yet in the recorder
	before  Counters // in the recorder, since the start of the thread
	totals  ThreadTotals
	inEvent atomic.Int64 // start of the running event, 0 when none is
	byKind  bool
	early   bool // the running event started in the warm-up
}

// Query counts a completed statement.
func (t *Thread) Query(c Class) {
	if t == nil {
		return
	}
	switch c {
	case Read:
		t.pending.Reads++
	case Write:
		t.pending.Writes++
	default:
		t.pending.Others++
	}
}

// WantsKinds reports whether latency by statement is recorded, so that the caller reads the clock only then.
func (t *Thread) WantsKinds() bool { return t != nil && t.byKind }

// Statement records the service time of one statement of the given kind.
func (t *Thread) Statement(k Kind, ns int64) {
	if t == nil || !t.byKind || k == KindNone || int(k) >= len(t.rec.opt.Kinds) {
		return
	}
	t.rec.mu.Lock()
	t.rec.cur.kinds[k].Record(ns)
	t.rec.mu.Unlock()
}

// Error counts a failed statement, or with reconnected a connection loss that ended in a reconnect, in the
// table of errors, and in the counter that sysbench counts it in.
func (t *Thread) Error(code int, state, message string, reconnected bool) {
	if t == nil {
		return
	}
	if reconnected {
		t.pending.Reconnects++
	} else {
		t.pending.Errors++
	}
	r := t.rec
	r.mu.Lock()
	e := r.errors[code]
	if e == nil {
		e = &ErrorCount{Code: code, State: state, First: message}
		r.errors[code] = e
	}
	e.Count++
	r.mu.Unlock()
	t.Flush()
}

// Reconnect counts a reconnect that no error caused.
func (t *Thread) Reconnect() {
	if t != nil {
		t.pending.Reconnects++
	}
}

// Restart counts an event that is executed again.
func (t *Thread) Restart() {
	if t != nil {
		t.pending.Restarts++
	}
}

// Counter is one of the counters of a thread, in sysbench's numbering, which scripts use.
type Counter int

// The counters.
const (
	CountOther Counter = iota
	CountRead
	CountWrite
	CountEvent
	CountError
	CountReconnect
	CounterCount // how many there are
)

func (c *Counters) counter(which Counter) *int64 {
	return [CounterCount]*int64{&c.Others, &c.Reads, &c.Writes, &c.Events, &c.Errors, &c.Reconnects}[which]
}

// Count adds n to a counter, for scripts that count what they do themselves.
func (t *Thread) Count(which Counter, n int64) {
	if t == nil || which < 0 || which >= CounterCount {
		return
	}
	*t.pending.counter(which) += n
	if t.inEvent.Load() == 0 {
		t.Flush()
	}
}

// Counted returns what a thread has counted since its start.
func (t *Thread) Counted(which Counter) int64 {
	if t == nil || which < 0 || which >= CounterCount {
		return 0
	}
	return *t.before.counter(which) + *t.pending.counter(which)
}

// Begin notes that an event started at ns (clock of the run), for the unfinished-events line of a forced stop. measured is
// whether the warm-up had ended by then, if there is one.
func (t *Thread) Begin(ns int64, measured bool) {
	t.inEvent.Store(ns)
	t.early = !measured
}

// Abandon notes that the event that was running will not be counted.
func (t *Thread) Abandon() {
	t.Flush()
	t.inEvent.Store(0)
}

// Event records a completed event with its latency (from the scheduled arrival when the loop is open) and
// everything counted since the last call. serviceNs and latenessNs matter only in open loops; a negative
// lateness is not recorded (the thread was busy at the arrival: that is queueing, not lateness).
func (t *Thread) Event(latencyNs, serviceNs, latenessNs int64) {
	tt := &t.totals
	r := t.rec
	r.mu.Lock()
	switch {
	case r.warm && !t.early:
		r.discard() // whoever comes first: an event that has a place among the measured ones is not forgotten
	case t.early && !r.warm && r.opt.Admit != nil && !r.opt.Admit():
		r.cur.Counters.add(t.pending)
		r.mu.Unlock()
		t.inEvent.Store(0)
		t.before.add(t.pending)
		t.pending = Counters{}
		return
	}
	t.pending.Events++
	if tt.Events == 0 || latencyNs < tt.MinNs {
		tt.MinNs = latencyNs
	}
	tt.MaxNs = max(tt.MaxNs, latencyNs)
	tt.Events++
	tt.LatencyNs += latencyNs
	r.cur.Counters.add(t.pending)
	r.cur.lat.Record(latencyNs)
	if r.cur.service != nil {
		r.cur.service.Record(serviceNs)
		if latenessNs >= 0 {
			r.cur.lateness.Record(latenessNs)
		}
	}
	r.mu.Unlock()
	t.inEvent.Store(0)
	t.before.add(t.pending)
	t.pending = Counters{}
}

// Flush hands what was counted since the last event to the recorder.
func (t *Thread) Flush() {
	if t == nil {
		return
	}
	r := t.rec
	r.mu.Lock()
	r.cur.Counters.add(t.pending)
	r.mu.Unlock()
	t.before.add(t.pending)
	t.pending = Counters{}
}

// Snapshot is the sum over all threads for a span of time. The caller owns it.
type Snapshot struct {
	Counters
	Latency  *Latency // response time under a rate, else the time of the event
	Service  *Latency // nil in closed loops
	Lateness *Latency // nil in closed loops; how late idle threads started scheduled arrivals
	Kinds    []*Latency
	Threads  []ThreadTotals // cumulative snapshots only; since the last reset
	Errors   []ErrorCount   // cumulative snapshots only; whole run, most frequent first
}

// Set is all recorders of a run.
type Set struct {
	Options
	Recorders []*Recorder
}

// snapshot copies b.
func snapshot(opt Options, buckets ...*bucket) *Snapshot {
	sum := newBucket(opt)
	for _, b := range buckets {
		sum.merge(b)
	}
	return &Snapshot{Counters: sum.Counters, Latency: sum.lat, Service: sum.service, Lateness: sum.lateness, Kinds: sum.kinds}
}

// drain moves what threads have recorded into the reporter's two views.
func (s *Set) drain() {
	for _, r := range s.Recorders {
		r.mu.Lock()
		b := r.cur
		r.cur = r.spare
		r.mu.Unlock()
		r.take(b)
	}
}

// take adds a bucket that threads no longer use to the reporter's two views, and keeps it as the spare one.
func (r *Recorder) take(b *bucket) {
	r.interval.merge(b)
	r.total.merge(b)
	b.reset()
	r.spare = b
}

// Interval returns what was recorded since the previous call, and starts the next interval. Each event is
// in exactly one interval: the intervals of a run add up to its totals. Interval, Cumulative and Checkpoint
// are called by one goroutine, the reporter.
func (s *Set) Interval() *Snapshot {
	s.drain()
	buckets := make([]*bucket, 0, len(s.Recorders))
	for _, r := range s.Recorders {
		buckets = append(buckets, r.interval)
	}
	snap := snapshot(s.Options, buckets...)
	for _, b := range buckets {
		b.reset()
	}
	return snap
}

// Checkpoint returns what Cumulative does and starts the cumulative view anew; no event is lost between both.
// Intervals and the table of errors are not affected.
func (s *Set) Checkpoint() *Snapshot {
	snap := s.cumulative(true)
	for _, r := range s.Recorders {
		r.total.reset()
	}
	return snap
}

// Discard forgets everything that was recorded: the end of a warm-up. It is called once.
func (s *Set) Discard() {
	for _, r := range s.Recorders { // all recorders first, so that they forget at nearly the same moment
		r.mu.Lock()
		if r.warm {
			r.discard()
		}
		r.mu.Unlock()
	}
	for _, r := range s.Recorders {
		r.spare.reset()
		r.interval.reset()
		r.total.reset()
	}
}

// discard ends the warm-up of one recorder, whose lock the caller holds.
func (r *Recorder) discard() {
	r.warm = false
	r.cur, r.spare = r.spare, r.cur
	clear(r.errors)
	for _, t := range r.threads {
		t.totals = ThreadTotals{}
	}
}

// Cumulative returns what was recorded since the start or the last Checkpoint.
func (s *Set) Cumulative() *Snapshot { return s.cumulative(false) }

// cumulative returns the cumulative view. With restart the sums of threads start anew at the very moment up to which
// the recorders were drained; the caller resets the drained totals.
func (s *Set) cumulative(restart bool) *Snapshot {
	buckets := make([]*bucket, 0, len(s.Recorders))
	errs := map[int]*ErrorCount{}
	var threads []ThreadTotals
	for _, r := range s.Recorders {
		buckets = append(buckets, r.total)
		r.mu.Lock()
		b := r.cur
		r.cur = r.spare
		for _, t := range r.threads {
			tt := t.totals
			tt.InEventNs = t.inEvent.Load()
			threads = append(threads, tt)
			if restart {
				t.totals = ThreadTotals{}
			}
		}
		for code, e := range r.errors {
			if have := errs[code]; have != nil {
				have.Count += e.Count
			} else {
				c := *e
				errs[code] = &c
			}
		}
		r.mu.Unlock()
		r.take(b)
	}
	snap := snapshot(s.Options, buckets...)
	snap.Threads = threads
	for _, e := range errs {
		snap.Errors = append(snap.Errors, *e)
	}
	sort.Slice(snap.Errors, func(i, j int) bool {
		a, b := snap.Errors[i], snap.Errors[j]
		return a.Count > b.Count || a.Count == b.Count && a.Code < b.Code
	})
	return snap
}
