package system

import (
	"math"
	"sync"
	"sync/atomic"

	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// maxLocks bounds the number of locks; one takes up to 128 bytes.
const maxLocks = 1 << 20

var threads = &test{
	name: "threads",
	options: []option.Spec{
		option.NewInt("thread-yields", "1000", "number of yields to do per request"),
		option.NewInt("thread-locks", "8", "number of locks per thread"),
	},
	describe: describeThreads,
	newRun: func(s workload.Setup) (workload.Run, error) {
		if err := between(s.Options, 0, math.MaxInt32, "thread-yields"); err != nil {
			return nil, err
		}
		if err := between(s.Options, 1, maxLocks, "thread-locks"); err != nil {
			return nil, err
		}
		return &threadsRun{
			processors: processors{threads: s.Threads},
			yields:     s.Options.Int("thread_yields"),
			locks:      make([]paddedMutex, s.Options.Int("thread_locks")),
		}, nil
	},
}

// paddedMutex has cache lines to itself.
type paddedMutex struct {
	sync.Mutex
	_ [120]byte
}

// threadsRun lets threads compete for a few locks, and yield the CPU while they hold them.
type threadsRun struct {
	processors
	yields int
	next   atomic.Uint64 // number of the next event
	locks  []paddedMutex
}

// Mode writes the test's name.
func (r *threadsRun) Mode(log *textlog.Log) { log.Infof("Doing thread subsystem performance test") }

func (r *threadsRun) Thread(workload.ThreadContext) (workload.Worker, error) {
	return &threadsWorker{r}, nil
}

type threadsWorker struct{ *threadsRun }

// Event takes the lock that the event's number chooses, again and again.
func (w *threadsWorker) Event() error {
	lock := &w.locks[(w.next.Add(1)-1)%uint64(len(w.locks))]
	for range w.yields {
		lock.Lock()
		yield()
		lock.Unlock()
	}
	return nil
}

func (w *threadsWorker) Done() error { return nil }

var mutex = &test{
	name: "mutex",
	options: []option.Spec{
		option.NewInt("mutex-num", "4096", "total size of mutex array"),
		option.NewInt("mutex-locks", "50000", "number of mutex locks to do per thread"),
		option.NewInt("mutex-loops", "10000", "number of empty loops to do outside mutex lock"),
	},
	describe: describeMutex,
	newRun: func(s workload.Setup) (workload.Run, error) {
		if err := between(s.Options, 1, maxLocks, "mutex-num"); err != nil {
			return nil, err
		}
		if err := between(s.Options, 1, math.MaxInt32, "mutex-locks"); err != nil {
			return nil, err
		}
		if err := between(s.Options, 0, math.MaxInt32, "mutex-loops"); err != nil {
			return nil, err
		}
		return &mutexRun{
			processors: processors{threads: s.Threads}, events: s.EventsLimit,
			times: s.Options.Int("mutex_locks"), loops: s.Options.Int("mutex_loops"),
			locks: make([]sync.Mutex, s.Options.Int("mutex_num")),
		}, nil
	},
}

// mutexRun lets threads that are busy most of the time take random locks for a very short time.
type mutexRun struct {
	processors
	events       int64
	times, loops int
	locks        []sync.Mutex
	counter      atomic.Int64 // what the locks protect
}

// Mode writes the test's name.
func (r *mutexRun) Mode(log *textlog.Log) { log.Infof("Doing mutex performance test") }

// Limits gives each thread a single event, within --events.
func (r *mutexRun) Limits() workload.Limits { return workload.Limits{Events: r.events, PerThread: 1} }

func (r *mutexRun) Thread(t workload.ThreadContext) (workload.Worker, error) {
	return &mutexWorker{mutexRun: r, rng: t.Rand}, nil
}

type mutexWorker struct {
	*mutexRun
	rng  *random.Source
	spun int // keeps the empty loops alive
}

func (w *mutexWorker) Event() error {
	for range w.times {
		lock := &w.locks[random.UniformUint32(w.rng, 0, uint32(len(w.locks)-1))]
		w.spun = spin(w.loops)
		lock.Lock()
		// Different locks protect the same counter: only an atomic one is free of races.
		w.counter.Add(1)
		lock.Unlock()
	}
	return nil
}

func (w *mutexWorker) Done() error { return nil }

// spin runs n empty iterations, one machine instruction or two each.
//
//go:noinline
func spin(n int) int {
	i := 0
	for i < n {
		i++
	}
	return i
}
