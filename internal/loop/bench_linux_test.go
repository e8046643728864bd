package loop

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pair connects the task to a new one on the same loop, which echoes what it reads.
func pair(t testing.TB, task *Task) *Conn {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	end := func(task *Task, fd int) *Conn {
		c := task.newConn(fd)
		if err := task.loop.poller.Add(fd, c.token(), WantRead); err != nil {
			t.Error(err)
		}
		return c
	}
	task.Loop().Go(func(task *Task) { echo(end(task, fds[1])) })
	return end(task, fds[0])
}

// TestHotPathDoesNotAllocate is not parallel, since others would allocate.
func TestHotPathDoesNotAllocate(t *testing.T) {
	l := newLoop(t, Options{})
	got := map[string]float64{}
	run(t, l, func(task *Task) {
		c := pair(t, task)
		query := make([]byte, 100)
		roundTrip := func() {
			_, _ = c.Write(query)
			if n, err := c.Read(c.Scratch()); n != len(query) || err != nil {
				t.Errorf("read: %d, %v", n, err)
			}
		}
		var other *Task
		l.Go(func(task *Task) {
			other = task
			for task.Park() == nil {
				_ = task.Loop()
			}
		})
		_ = task.Yield()
		for name, fn := range map[string]func(){
			"write, park, read": roundTrip,
			"with a deadline": func() {
				_ = c.SetReadDeadline(time.Now().Add(time.Hour))
				roundTrip()
			},
			"sleep":  func() { _ = task.Sleep(time.Microsecond) },
			"yield":  func() { _ = task.Yield() },
			"unpark": func() { other.Unpark(); _ = task.Yield() },
		} {
			got[name] = testing.AllocsPerRun(200, fn)
		}
		other.Interrupt(errStop)
		_ = c.Close()
	})
	for name, n := range got {
		if n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
	if len(got) != 5 {
		t.Errorf("%d measurements, want 5", len(got))
	}
}

// BenchmarkSwitch is one resumption of a task with its share of the loop, among n tasks.
func BenchmarkSwitch(b *testing.B) {
	for _, n := range []int{1, 64, 1024} {
		b.Run(map[int]string{1: "tasks=1", 64: "tasks=64", 1024: "tasks=1024"}[n], func(b *testing.B) {
			measureCPU(b)
			l := newLoop(b, newFake().options())
			left := b.N
			for range n {
				l.Go(func(task *Task) {
					for ; left > 0; left-- {
						_ = task.Yield()
					}
				})
			}
			run(b, l)
		})
	}
}

// BenchmarkSleep is a sleep that a fake poller ends at once, among 1,000 others.
func BenchmarkSleep(b *testing.B) {
	measureCPU(b)
	l := newLoop(b, newFake().options())
	left := b.N
	for i := range 1000 {
		l.Go(func(task *Task) {
			for ; left > 0; left-- {
				_ = task.Sleep(time.Duration(1000 + i))
			}
		})
	}
	run(b, l)
}

// BenchmarkRoundTrip is a message of 60 bytes and its echo. In "pair" both ends are tasks of one loop; in the others the
// peer is a goroutine of the standard library, which costs more than the loop does.
func BenchmarkRoundTrip(b *testing.B) {
	client := func(c *Conn, left *int) {
		query := make([]byte, 60)
		for ; *left > 0; *left-- {
			_, _ = c.Write(query)
			if _, err := c.Read(c.Scratch()); err != nil {
				return
			}
		}
		_ = c.Close()
	}
	b.Run("pair", func(b *testing.B) {
		measureCPU(b)
		l := newLoop(b, Options{})
		left := b.N
		for range 64 {
			l.Go(func(task *Task) { client(pair(b, task), &left) })
		}
		run(b, l)
	})
	for _, network := range []string{"tcp4", "unix"} {
		b.Run(network, func(b *testing.B) {
			measureCPU(b)
			srv := serve(b, network, echo)
			l := newLoop(b, Options{})
			left := b.N
			for range 64 {
				l.Go(func(task *Task) { client(srv.dial(task), &left) })
			}
			run(b, l)
		})
	}
}

// BenchmarkMemory reports the bytes of a parked task, with and without a connection: its stack and all else. The highest
// figure counts, since later iterations get the goroutines of earlier ones.
func BenchmarkMemory(b *testing.B) {
	inUse := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	connected := func(task *Task) {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			b.Error(err)
			return
		}
		c := task.newConn(fds[0])
		_, _ = c.Write([]byte("x"))
		_, _ = c.Read(c.Scratch())
		_ = unix.Close(fds[1])
	}
	for _, bb := range []struct {
		name string
		n    int
		fn   func(*Task)
	}{
		{"connected", 1000, connected},
		{"parked", 10_000, func(task *Task) { _ = task.Park() }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			most := 0.0
			for b.Loop() {
				l := newLoop(b, Options{})
				before := inUse()
				for range bb.n {
					l.Go(bb.fn)
				}
				l.Go(func(task *Task) {
					_ = task.Yield()
					most = max(most, (float64(inUse())-float64(before))/float64(bb.n))
					l.InterruptAll(errStop)
				})
				run(b, l)
			}
			b.ReportMetric(most, "B/task")
		})
	}
}

// measureCPU reports the CPU time of the process for each iteration, which other load on the machine disturbs less than
// it does the time on the wall.
func measureCPU(b *testing.B) {
	cpu := func() int64 {
		var r unix.Rusage
		_ = unix.Getrusage(unix.RUSAGE_SELF, &r)
		return r.Utime.Nano() + r.Stime.Nano()
	}
	b.ReportAllocs()
	start := cpu()
	b.Cleanup(func() { b.ReportMetric(float64(cpu()-start)/float64(b.N), "cpu-ns/op") })
}
