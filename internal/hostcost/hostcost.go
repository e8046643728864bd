// Package hostcost measures what a process and this machine do during a run: CPU, context switches, storage, memory, steal. It
// also names processes so that a number that the system gave to another one is never taken for it, and starts processes on
// chosen CPUs. On systems other than Linux most of it is not known, and says so.
package hostcost

import (
	"maps"
	"time"

	"deltabench/internal/evidence"
)

// Cost is what was seen between Start and Stop.
type Cost struct {
	Process *evidence.Process // nil: no process, or not known
	Machine *evidence.Machine // nil: not known
	Seconds []evidence.Second
}

// interval is how often a process is sampled.
const interval = time.Second

// switchesShare is the most of one CPU that reading context switches between the ends may take. The system has them for each thread,
// and a thousand threads take some 20 ms: these are read about every 20 seconds, few each second. What a thread did after it was
// last read and before it ended is lost.
const switchesShare = 0.001

// Sampler samples a process.
type Sampler struct {
	pid           int
	before, after processTimes
	switches      switches
	cpus          float64
	machine       machineTimes
	seconds       []evidence.Second
	peak          int64
	threads       int
	stop, done    chan struct{}
}

// processTimes are the counters of a process.
type processTimes struct {
	ok           bool
	user, system float64 // seconds
	read, write  int64   // -1: not known
	memory       int64
	threads      int
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
		s.before = readProcess(pid)
		s.note(s.before)
		s.switches.add(readSwitches(pid))
		s.cpus = AllowedCPUs(pid)
	}
	go s.loop()
	return s
}

func (s *Sampler) loop() {
	defer close(s.done)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var next time.Time // when switches are read again
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			if s.pid > 0 {
				s.note(readProcess(s.pid))
				if begin := time.Now(); begin.After(next) {
					s.switches.add(readSwitches(s.pid))
					end := time.Now()
					next = end.Add(time.Duration(float64(end.Sub(begin)) / switchesShare))
				}
			}
		}
	}
}

// note keeps a sample; one of a process that has ended, or that ends and has given its memory back, changes nothing.
func (s *Sampler) note(t processTimes) {
	if !t.ok || t.memory == 0 && s.after.memory > 0 {
		return
	}
	s.seconds = append(s.seconds, evidence.Second{At: time.Now(), CPU: t.user + t.system, Memory: t.memory})
	s.peak, s.threads = max(s.peak, t.memory), max(s.threads, t.threads)
	s.after = t
}

// Stop ends the sampling and returns what was seen. Of a process that has ended meanwhile it is what was known until then.
func (s *Sampler) Stop() Cost {
	close(s.stop)
	<-s.done
	c := Cost{}
	if s.pid > 0 {
		s.note(readProcess(s.pid))
		s.switches.add(readSwitches(s.pid))
		if now := AllowedCPUs(s.pid); now > 0 {
			s.cpus = now
		}
		if a, b := s.before, s.after; a.ok && b.ok {
			p := &evidence.Process{
				UserSeconds: b.user - a.user, SystemSeconds: b.system - a.system, ReadBytes: -1, WriteBytes: -1,
				VoluntarySwitches: s.switches.voluntary, InvoluntarySwitches: s.switches.involuntary,
				MemoryBefore: a.memory, MemoryAfter: b.memory, MemoryPeak: s.peak, Threads: s.threads, CPUs: s.cpus,
			}
			if a.read >= 0 && b.read >= 0 {
				p.ReadBytes, p.WriteBytes = b.read-a.read, b.write-a.write
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

// threadSwitches are the context switches of a thread since its start.
type threadSwitches struct{ voluntary, involuntary int64 }

// switches adds up the context switches of threads, of which some begin and some end.
type switches struct {
	last                   map[int]threadSwitches // when each thread was last seen; nil: before the first reading
	voluntary, involuntary int64                  // since the first reading
}

// add takes a reading. Threads of the first one have done before it what they had; all others began after it. An empty reading, of a
// process that has ended, changes nothing.
func (s *switches) add(now map[int]threadSwitches) {
	if len(now) == 0 {
		return
	}
	if s.last != nil {
		for id, t := range now {
			was := s.last[id]
			if t.voluntary < was.voluntary || t.involuntary < was.involuntary {
				was = threadSwitches{} // another thread has its number
			}
			s.voluntary += t.voluntary - was.voluntary
			s.involuntary += t.involuntary - was.involuntary
		}
	}
	if s.last == nil {
		s.last = now
	}
	maps.Copy(s.last, now) // those that are missing stay: a list of threads of which some end may lack others
}
