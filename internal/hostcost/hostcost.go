// Package hostcost measures what a process and this machine do during a run: CPU, context switches, storage, memory, steal. It
// also names processes so that a number that the system gave to another one is never taken for it, and starts processes on
// chosen CPUs. On systems other than Linux most of it is not known, and says so.
package hostcost

import (
	"time"

	"deltabench/internal/evidence"
)

// Cost is what was seen between Start and Stop.
type Cost struct {
	Process *evidence.Process // nil: no process, or not known
	Machine *evidence.Machine // nil: not known
	Seconds []evidence.Second
}

// interval is how often a process is sampled. Context switches are those of each thread and summed only at both ends: with a
// thousand threads that takes milliseconds. Those of threads that ended in between are lost.
const interval = time.Second

// Sampler samples a process.
type Sampler struct {
	pid           int
	before, after processTimes
	machine       machineTimes
	seconds       []evidence.Second
	peak          int64
	threads       int
	stop, done    chan struct{}
}

// processTimes are the counters of a process.
type processTimes struct {
	ok                     bool
	user, system           float64 // seconds
	voluntary, involuntary int64
	read, write            int64 // -1: not known
	memory                 int64
	threads                int
}

// machineTimes are the counters of the machine's CPUs, in any one unit.
type machineTimes struct {
	ok                         bool
	cpus                       int
	total, idle, iowait, steal float64
}

// Start begins to sample a process; pid 0: the machine only. Stop must be called.
func Start(pid int) *Sampler {
	s := &Sampler{pid: pid, stop: make(chan struct{}), done: make(chan struct{}), machine: readMachine()}
	if pid > 0 {
		s.before = readProcess(pid, true)
		s.note(s.before)
	}
	go s.loop()
	return s
}

func (s *Sampler) loop() {
	defer close(s.done)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			if s.pid > 0 {
				s.note(readProcess(s.pid, false))
			}
		}
	}
}

// note keeps a sample; one of a process that has ended changes nothing.
func (s *Sampler) note(t processTimes) {
	if !t.ok {
		return
	}
	s.seconds = append(s.seconds, evidence.Second{At: time.Now(), CPU: t.user + t.system, Memory: t.memory})
	s.peak, s.threads = max(s.peak, t.memory), max(s.threads, t.threads)
	s.after = t
}

// Stop ends the sampling and returns what was seen. Of a process that has ended meanwhile it is what the last sample saw, without
// context switches.
func (s *Sampler) Stop() Cost {
	close(s.stop)
	<-s.done
	c := Cost{}
	if s.pid > 0 {
		last := readProcess(s.pid, true)
		s.note(last)
		if a, b := s.before, s.after; a.ok && b.ok {
			p := &evidence.Process{
				UserSeconds: b.user - a.user, SystemSeconds: b.system - a.system, ReadBytes: -1, WriteBytes: -1,
				MemoryBefore: a.memory, MemoryAfter: b.memory, MemoryPeak: s.peak, Threads: s.threads, CPUs: AllowedCPUs(s.pid),
			}
			if last.ok {
				p.VoluntarySwitches, p.InvoluntarySwitches = max(last.voluntary-a.voluntary, 0), max(last.involuntary-a.involuntary, 0)
				if a.read >= 0 && last.read >= 0 {
					p.ReadBytes, p.WriteBytes = last.read-a.read, last.write-a.write
				}
			}
			c.Process, c.Seconds = p, s.seconds
		}
	}
	if a, b := s.machine, readMachine(); a.ok && b.ok && b.total > a.total {
		all := b.total - a.total
		c.Machine = &evidence.Machine{CPUs: b.cpus, BusyShare: 1 - (b.idle-a.idle+b.iowait-a.iowait)/all, StealShare: (b.steal - a.steal) / all, IOWaitShare: max(b.iowait-a.iowait, 0) / all}
	}
	return c
}
