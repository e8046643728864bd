package system

import (
	"math"

	"deltabench/internal/option"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

var cpu = &test{
	name:     "cpu",
	options:  []option.Spec{option.NewInt("cpu-max-prime", "10000", "upper limit for primes generator")},
	describe: describeCPU,
	newRun: func(s workload.Setup) (workload.Run, error) {
		limit := s.Options.Int("cpu_max_prime")
		if limit <= 0 {
			return nil, failure("Invalid value of cpu-max-prime: %d.", limit)
		}
		return &cpuRun{processors: processors{threads: s.Threads}, limit: limit}, nil
	},
}

type cpuRun struct {
	processors
	limit int
}

// Mode writes the limit.
func (r *cpuRun) Mode(log *textlog.Log) {
	log.Infof("Doing CPU performance benchmark\n")
	log.Noticef("Prime numbers limit: %d\n", r.limit)
}

func (r *cpuRun) Thread(workload.ThreadContext) (workload.Worker, error) {
	return &cpuWorker{limit: uint64(r.limit)}, nil
}

// Report writes the speed.
func (r *cpuRun) Report(log *textlog.Log, t workload.Totals) {
	log.Noticef("CPU speed:")
	log.Noticef("    events per second: %8.2f", t.PerSecond())
}

type cpuWorker struct {
	limit  uint64
	primes int // result of the last event; keeps the computation alive
}

// Event counts the primes from 3 to below the limit by trial division. The algorithm is the unit of measurement:
// 64-bit divisions by all numbers up to the square root.
func (w *cpuWorker) Event() error {
	n := 0
	for c := uint64(3); c < w.limit; c++ {
		root := math.Sqrt(float64(c))
		l := uint64(2)
		for float64(l) <= root && c%l != 0 {
			l++
		}
		if float64(l) > root {
			n++
		}
	}
	w.primes = n
	return nil
}

func (w *cpuWorker) Done() error { return nil }
