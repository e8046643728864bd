package system

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
	"deltabench/internal/workload/workloadtest"
)

// newRun creates a run of a test under options as typed, with a log that writes to w.
func newRun(t testing.TB, test workload.Test, w io.Writer, args ...string) (workload.Run, workload.Setup, error) {
	t.Helper()
	s, _, err := workloadtest.Setup(test, args...)
	if err != nil {
		t.Fatal(err)
	}
	s.Log = textlog.New(w, textlog.Info)
	r, err := test.NewRun(s)
	if c, ok := r.(workload.Cleaner); ok && err == nil {
		t.Cleanup(c.Cleanup)
	}
	return r, s, err
}

// The texts were printed by sysbench 1.0.20 with --verbosity=4, up to the general block.
func TestModesAndReports(t *testing.T) {
	for _, c := range []struct {
		test         workload.Test
		args         []string
		mode, report string // report for 1,234 events in 2.5 s
		interval     string
	}{
		{
			cpu,
			[]string{"--cpu-max-prime=100"},
			"Doing CPU performance benchmark\n\nPrime numbers limit: 100\n\n",
			"CPU speed:\n    events per second:   493.60\n", "",
		},
		{
			memory,
			[]string{"--memory-block-size=8k", "--memory-total-size=1M", "--memory-scope=local", "--memory-oper=read"},
			"Running memory speed test with the following options:\n  block size: 8KiB\n  total size: 1MiB\n  operation: read\n  scope: local\n\n",
			"Total operations: 1234 (  493.60 per second)\n\n9.64 MiB transferred (3.86 MiB/sec)\n\n", "[ 7s ] 3.86 MiB/sec\n",
		},
		{
			memory,
			[]string{"--memory-oper=none"},
			"Running memory speed test with the following options:\n  block size: 1KiB\n  total size: 102400MiB\n  operation: none\n  scope: global\n\n",
			"Total operations: 1234 (  493.60 per second)\n\n", "[ 7s ] 0.48 MiB/sec\n",
		},
		{threads, nil, "Doing thread subsystem performance test\n", "", ""},
		{mutex, nil, "Doing mutex performance test\n", "", ""},
	} {
		t.Run(c.test.Name(), func(t *testing.T) {
			var out strings.Builder
			r, s, err := newRun(t, c.test, &out, c.args...)
			if err != nil {
				t.Fatal(err)
			}
			r.Mode(s.Log)
			if got := out.String(); got != c.mode {
				t.Errorf("mode:\ngot  %q\nwant %q", got, c.mode)
			}
			out.Reset()
			if rep, ok := r.(workload.Reporter); ok {
				rep.Report(s.Log, workload.Totals{Events: 1234, Seconds: 2.5})
			}
			if got := out.String(); got != c.report {
				t.Errorf("report:\ngot  %q\nwant %q", got, c.report)
			}
			out.Reset()
			if rep, ok := r.(workload.IntervalReporter); ok {
				rep.Interval(s.Log, 7, workload.Totals{Events: 1234, Seconds: 2.5})
			}
			if got := out.String(); got != c.interval {
				t.Errorf("interval: got %q, want %q", got, c.interval)
			}
			if !workload.IsBlocking(r) {
				t.Error("the run does not ask for a goroutine per thread")
			}
		})
	}
}

func TestInvalidOptions(t *testing.T) {
	for _, c := range []struct {
		test workload.Test
		arg  string
		want string
	}{
		{cpu, "--cpu-max-prime=0", "Invalid value of cpu-max-prime: 0."},
		{cpu, "--cpu-max-prime=-5", "Invalid value of cpu-max-prime: -5."},
		{memory, "--memory-block-size=0", "Invalid value for memory-block-size: 0"},
		{memory, "--memory-block-size=7", "Invalid value for memory-block-size: 7"},
		{memory, "--memory-block-size=4", "Invalid value for memory-block-size: 4"},
		{memory, "--memory-block-size=3q", "Invalid value for memory-block-size: 3q"},
		{memory, "--memory-block-size=3K", "Invalid value for memory-block-size: 3K"},
		{memory, "--memory-block-size=", "Invalid value for memory-block-size: (null)"},
		{memory, "--memory-scope=x", "Invalid value for memory-scope: x"},
		{memory, "--memory-oper=x", "Invalid value for memory-oper: x"},
		{memory, "--memory-access-mode=x", "Invalid value for memory-access-mode: x"},
		{threads, "--thread-locks=0", "Invalid value for --thread-locks: 0 (1 to 1048576)"},
		{threads, "--thread-yields=-1", "Invalid value for --thread-yields: -1 (0 to 2147483647)"},
		{mutex, "--mutex-num=0", "Invalid value for --mutex-num: 0 (1 to 1048576)"},
		{mutex, "--mutex-locks=0", "Invalid value for --mutex-locks: 0 (1 to 2147483647)"},
		{mutex, "--mutex-loops=-1", "Invalid value for --mutex-loops: -1 (0 to 2147483647)"},
		{fileio, "--file-num=2", "the fileio test is not in this version yet"},
	} {
		if _, _, err := newRun(t, c.test, io.Discard, c.arg); err == nil || err.Error() != c.want {
			t.Errorf("%s %s: got %v, want %s", c.test.Name(), c.arg, err, c.want)
		}
	}
	for _, name := range []string{"prepare", "cleanup"} {
		if err := workloadtest.Command(fileio, name, workload.Setup{Random: random.NewProcess()}); !errors.Is(err, errFileio) {
			t.Errorf("fileio %s: got %v", name, err)
		}
	}
}

func TestMemoryThatDoesNotFit(t *testing.T) {
	for scope, want := range map[string]string{"global": "Failed to allocate buffer!", "local": "Failed to allocate buffer for thread #0!"} {
		var out strings.Builder
		_, _, err := newRun(t, memory, &out, "--memory-block-size=4194304T", "--memory-scope="+scope)
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", scope, err, want)
		}
		if got := out.String(); !strings.HasPrefix(got, "FATAL: Failed to allocate 4611686018427387904 bytes") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: the log has %q", scope, got)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		test workload.Test
		args []string
		want workload.Limits
	}{
		{cpu, []string{"--events=7"}, workload.Limits{Events: 7, PerThread: -1}},
		{threads, []string{"--events=7"}, workload.Limits{Events: 7, PerThread: -1}},
		{mutex, []string{"--events=7", "--threads=3"}, workload.Limits{Events: 7, PerThread: 1}},
		{mutex, nil, workload.Limits{PerThread: 1}},
		{memory, []string{"--events=7"}, workload.Limits{PerThread: 100 << 20}},
		{memory, []string{"--memory-total-size=10M", "--threads=3"}, workload.Limits{PerThread: 3413}},
		{memory, []string{"--memory-total-size=512"}, workload.Limits{PerThread: 0}},
		{memory, []string{"--memory-total-size=0", "--events=7"}, workload.Limits{PerThread: -1}},
	} {
		r, s, err := newRun(t, c.test, io.Discard, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		if got := workload.LimitsOf(r, s); got != c.want {
			t.Errorf("%s %v: got %+v, want %+v", c.test.Name(), c.args, got, c.want)
		}
	}
}

// events runs some events of every thread at once.
func events(t *testing.T, test workload.Test, threads, each int, args ...string) []workload.Worker {
	t.Helper()
	r, s, err := newRun(t, test, io.Discard, append(args, fmt.Sprintf("--threads=%d", threads))...)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := r.(workload.Preparer); ok {
		if err := p.Prepare(); err != nil {
			t.Fatal(err)
		}
	}
	workers := make([]workload.Worker, threads)
	var wg sync.WaitGroup
	for i := range workers {
		tc := workload.ThreadContext{ID: i, Threads: threads, Rand: s.Random.NewSource(), Env: workloadtest.Env()}
		wg.Go(func() {
			w, err := r.Thread(tc)
			workers[i] = w
			for range each {
				if err == nil {
					err = w.Event()
				}
			}
			if err == nil {
				err = w.Done()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return workers
}

func TestCPUCountsPrimes(t *testing.T) {
	for limit, want := range map[int]int{2: 0, 3: 0, 4: 1, 10: 3, 100: 24, 10000: 1228} { // 2 is not counted
		w := events(t, cpu, 1, 1, fmt.Sprintf("--cpu-max-prime=%d", limit))[0].(*cpuWorker)
		if w.primes != want {
			t.Errorf("limit %d: %d primes, want %d", limit, w.primes, want)
		}
	}
}

func TestMemoryAccess(t *testing.T) {
	const words = 512
	for _, scope := range []string{"global", "local"} {
		for _, mode := range []string{"seq", "rnd"} {
			args := []string{"--memory-block-size=4K", "--memory-scope=" + scope, "--memory-access-mode=" + mode}
			workers := events(t, memory, 3, 50, args...)
			blocks := map[*uint64]bool{}
			for i, w := range workers {
				m := w.(*memoryWorker)
				blocks[&m.words[0]] = true
				if len(m.words) != words {
					t.Fatalf("%d words, want %d", len(m.words), words)
				}
				written := 0
				for _, v := range m.words {
					if v == uint64(i)+1 {
						written++
					}
				}
				if scope == "local" && written != words {
					t.Errorf("%s %s: thread %d wrote %d words, want all %d", scope, mode, i, written, words)
				}
				if slices.Contains(m.words, 0) {
					t.Errorf("%s %s: words were left out", scope, mode)
				}
			}
			if want := map[string]int{"global": 1, "local": 3}[scope]; len(blocks) != want {
				t.Errorf("%s: %d blocks, want %d", scope, len(blocks), want)
			}
		}
	}
}

func TestMemoryReadsAllWords(t *testing.T) {
	for _, c := range []struct {
		mode string
		fill uint64
	}{{"seq", 3}, {"rnd", 5}} {
		r, s, err := newRun(t, memory, io.Discard, "--memory-block-size=1K", "--memory-oper=read", "--memory-access-mode="+c.mode)
		if err != nil {
			t.Fatal(err)
		}
		w, err := r.Thread(workload.ThreadContext{Threads: 1, Rand: s.Random.NewSource()})
		if err != nil {
			t.Fatal(err)
		}
		m := w.(*memoryWorker)
		for i := range m.words {
			m.words[i] = c.fill
		}
		if err := w.Event(); err != nil {
			t.Fatal(err)
		}
		if m.value != 128*c.fill {
			t.Errorf("%s: sum of what was read is %d, want %d", c.mode, m.value, 128*c.fill)
		}
	}
}

func TestMutexEvents(t *testing.T) {
	workers := events(t, mutex, 4, 1, "--mutex-num=2", "--mutex-locks=500", "--mutex-loops=10")
	w := workers[0].(*mutexWorker)
	if got := w.counter.Load(); got != 4*500 {
		t.Errorf("%d locks taken, want %d", got, 4*500)
	}
	if w.spun != 10 {
		t.Errorf("%d empty loops, want 10", w.spun)
	}
}

func TestThreadsEvents(t *testing.T) {
	workers := events(t, threads, 4, 5, "--thread-yields=20", "--thread-locks=3")
	if got := workers[0].(*threadsWorker).next.Load(); got != 20 {
		t.Errorf("%d events, want 20", got)
	}
}

func TestProcessorsAreRestored(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	p := &processors{threads: before + 3}
	if err := p.Prepare(); err != nil {
		t.Fatal(err)
	}
	raised := runtime.GOMAXPROCS(0)
	p.Cleanup()
	p.Cleanup()
	if after := runtime.GOMAXPROCS(0); raised != before+3 || after != before {
		t.Errorf("%d processors before, %d in between, %d after", before, raised, after)
	}
}

// The lists that `sysbench TEST help` prints.
func TestOptions(t *testing.T) {
	want := map[string]string{
		"cpu":     "--cpu-max-prime=N upper limit for primes generator [10000]\n",
		"threads": "--thread-yields=N number of yields to do per request [1000]\n--thread-locks=N  number of locks per thread [8]\n",
		"mutex":   "--mutex-num=N   total size of mutex array [4096]\n--mutex-locks=N number of mutex locks to do per thread [50000]\n--mutex-loops=N number of empty loops to do outside mutex lock [10000]\n",
		"memory": `--memory-block-size=SIZE    size of memory block for test [1K]
--memory-total-size=SIZE    total size of data to transfer [100G]
--memory-scope=STRING       memory access scope {global,local} [global]
--memory-hugetlb[=on|off]   allocate memory from HugeTLB pool [off]
--memory-oper=STRING        type of memory operations {read, write, none} [write]
--memory-access-mode=STRING memory access mode {seq,rnd} [seq]
`,
		"fileio": `--file-num=N                  number of files to create [128]
--file-block-size=N           block size to use in all IO operations [16384]
--file-total-size=SIZE        total size of files to create [2G]
--file-test-mode=STRING       test mode {seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw}
--file-io-mode=STRING         file operations mode {sync,async,mmap} [sync]
--file-async-backlog=N        number of asynchronous operatons to queue per thread [128]
--file-extra-flags=[LIST,...] list of additional flags to use to open files {sync,dsync,direct} []
--file-fsync-freq=N           do fsync() after this number of requests (0 - don't use fsync()) [100]
--file-fsync-all[=on|off]     do fsync() after each write operation [off]
--file-fsync-end[=on|off]     do fsync() at the end of test [on]
--file-fsync-mode=STRING      which method to use for synchronization {fsync, fdatasync} [fsync]
--file-merged-requests=N      merge at most this number of IO requests if possible (0 - don't merge) [0]
--file-rw-ratio=N             reads/writes ratio for combined test [1.5]
`,
	}
	for _, test := range Tests() {
		got := strings.ReplaceAll(string(option.AppendList(nil, test.Options())), "  --", "--")
		if strings.TrimRight(got, "\n") != strings.TrimRight(want[test.Name()], "\n") {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", test.Name(), got, want[test.Name()])
		}
	}
}

func BenchmarkEvent(b *testing.B) {
	for _, c := range []struct {
		test workload.Test
		args []string
	}{
		{cpu, nil},
		{memory, nil},
		{memory, []string{"--memory-block-size=1M"}},
		{memory, []string{"--memory-block-size=1M", "--memory-oper=read"}},
		{memory, []string{"--memory-block-size=1M", "--memory-access-mode=rnd"}},
		{threads, nil},
		{mutex, []string{"--mutex-locks=1000"}},
	} {
		b.Run("test="+c.test.Name()+strings.Join(c.args, ""), func(b *testing.B) {
			r, s, err := newRun(b, c.test, io.Discard, c.args...)
			if err != nil {
				b.Fatal(err)
			}
			w, err := r.Thread(workload.ThreadContext{Threads: 1, Rand: s.Random.NewSource()})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Event(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
