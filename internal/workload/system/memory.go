package system

import (
	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

var memory = &test{
	name: "memory",
	options: []option.Spec{
		option.NewSize("memory-block-size", "1K", "size of memory block for test"),
		option.NewSize("memory-total-size", "100G", "total size of data to transfer"),
		option.NewString("memory-scope", "global", "memory access scope {global,local}"),
		option.NewBool("memory-hugetlb", "off", "allocate memory from HugeTLB pool"),
		option.NewString("memory-oper", "write", "type of memory operations {read, write, none}"),
		option.NewString("memory-access-mode", "seq", "memory access mode {seq,rnd}"),
	},
	describe: describeMemory,
	newRun:   newMemoryRun,
}

const wordSize = 8

type memoryRun struct {
	processors
	blockSize, totalSize int64
	operation, scope     string
	access               func(*memoryWorker)
	blocks               []block // one, or one per thread
}

func newMemoryRun(s workload.Setup) (workload.Run, error) {
	o := s.Options
	r := &memoryRun{
		processors: processors{threads: s.Threads},
		blockSize:  o.Size("memory_block_size"), totalSize: o.Size("memory_total_size"),
		operation: o.String("memory_oper"), scope: o.String("memory_scope"),
	}
	invalid := func(name string) error {
		typed := o.String(option.Key(name))
		if typed == "" {
			typed = "(null)" // what C prints for an option that was emptied
		}
		return failure("Invalid value for %s: %s", name, typed)
	}
	if r.blockSize < wordSize || r.blockSize&(r.blockSize-1) != 0 {
		return nil, invalid("memory-block-size")
	}
	if r.scope != "global" && r.scope != "local" {
		return nil, invalid("memory-scope")
	}
	switch r.operation {
	case "read", "write", "none":
	default:
		return nil, invalid("memory-oper")
	}
	switch o.String("memory_access_mode") {
	case "seq":
		r.access = map[string]func(*memoryWorker){"read": readSeq, "write": writeSeq, "none": nothing}[r.operation]
	case "rnd":
		r.access = map[string]func(*memoryWorker){"read": readRandom, "write": writeRandom, "none": nothing}[r.operation]
	default:
		return nil, invalid("memory-access-mode")
	}
	count := 1
	if r.scope == "local" {
		count = s.Threads
	}
	for i := range count {
		b, err := allocate(r.blockSize, o.Bool("memory_hugetlb"))
		if err != nil {
			r.free()
			s.Log.Fatalf("%v", err)
			if r.scope == "local" {
				return nil, failure("Failed to allocate buffer for thread #%d!", i)
			}
			return nil, failure("Failed to allocate buffer!")
		}
		r.blocks = append(r.blocks, b)
	}
	return r, nil
}

// block is memory outside Go's heap, so that a size that does not fit is an error and not the end of the process.
type block struct {
	words []uint64
	free  func()
}

func (r *memoryRun) free() {
	for _, b := range r.blocks {
		b.free()
	}
	r.blocks = nil
}

// Cleanup frees the blocks.
func (r *memoryRun) Cleanup() {
	r.processors.Cleanup()
	r.free()
}

// Mode writes the options.
func (r *memoryRun) Mode(log *textlog.Log) {
	log.Noticef("Running memory speed test with the following options:")
	log.Noticef("  block size: %dKiB", r.blockSize/1024)
	log.Noticef("  total size: %dMiB", r.totalSize/(1<<20))
	log.Noticef("  operation: %s", r.operation)
	log.Noticef("  scope: %s\n", r.scope)
}

// Limits replaces --events: each thread transfers its share of the total size.
func (r *memoryRun) Limits() workload.Limits {
	if r.totalSize == 0 {
		return workload.Limits{PerThread: -1}
	}
	return workload.Limits{PerThread: r.totalSize / r.blockSize / int64(r.threads)}
}

func (r *memoryRun) Thread(t workload.ThreadContext) (workload.Worker, error) {
	return &memoryWorker{words: r.blocks[t.ID%len(r.blocks)].words, access: r.access, rng: t.Rand, value: uint64(t.ID) + 1}, nil
}

// Report writes what was transferred.
func (r *memoryRun) Report(log *textlog.Log, t workload.Totals) {
	log.Noticef("Total operations: %d (%8.2f per second)\n", t.Events, t.PerSecond())
	if r.operation != "none" {
		log.Noticef("%4.2f MiB transferred (%4.2f MiB/sec)\n", r.mebibytes(float64(t.Events)), r.mebibytes(t.PerSecond()))
	}
}

// Interval writes the speed of an interval.
func (r *memoryRun) Interval(log *textlog.Log, elapsed float64, t workload.Totals) {
	log.Stamped(elapsed, "%4.2f MiB/sec", r.mebibytes(t.PerSecond()))
}

func (r *memoryRun) mebibytes(events float64) float64 {
	return events * float64(r.blockSize) / (1 << 20)
}

type memoryWorker struct {
	words  []uint64
	access func(*memoryWorker)
	rng    *random.Source
	value  uint64 // written, or read last; keeps the accesses alive
}

// Event accesses as many words as the block has.
func (w *memoryWorker) Event() error {
	w.access(w)
	return nil
}

func (w *memoryWorker) Done() error { return nil }

// The accesses are what is measured. All threads use the same words at once when the scope is global, without
// any order, on purpose: the race detector must not look.

//go:norace
func writeSeq(w *memoryWorker) {
	value := w.value
	rest := w.words
	for len(rest) >= 8 { // as C compilers unroll it; 1 KiB in 23 ns instead of 52
		b := (*[8]uint64)(rest)
		b[0], b[1], b[2], b[3] = value, value, value, value
		b[4], b[5], b[6], b[7] = value, value, value, value
		rest = rest[8:]
	}
	for i := range rest {
		rest[i] = value
	}
}

//go:norace
func readSeq(w *memoryWorker) {
	var v0, v1, v2, v3 uint64
	rest := w.words
	for len(rest) >= 8 { // see writeSeq; 41 ns instead of 83
		b := (*[8]uint64)(rest)
		v0 += b[0] + b[4]
		v1 += b[1] + b[5]
		v2 += b[2] + b[6]
		v3 += b[3] + b[7]
		rest = rest[8:]
	}
	for _, v := range rest {
		v0 += v
	}
	w.value = v0 + v1 + v2 + v3
}

//go:norace
func writeRandom(w *memoryWorker) {
	words, value := w.words, w.value
	for range words {
		words[int(w.rng.Float64()*float64(len(words)))] = value
	}
}

//go:norace
func readRandom(w *memoryWorker) {
	words, value := w.words, uint64(0)
	for range words {
		value += words[int(w.rng.Float64()*float64(len(words)))]
	}
	w.value = value
}

func nothing(*memoryWorker) {}
