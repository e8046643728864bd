// Package evidence is what is known of a server and its machine around a run, as data: which start of the server it was,
// what its variables and counters were, what the run cost. Others collect it, keep it and show it.
package evidence

import "time"

// Run is the evidence of one run. Everything in it may be unknown: nil, empty or 0 is never a measured nothing, unless said.
type Run struct {
	Start     Start  `json:"start"`
	Variables string `json:"variables,omitempty"` // hash of the Snapshot of all global variables at the beginning of the run
	Settings  string `json:"settings,omitempty"`  // hash of the Snapshot of other settings: performance_schema's consumers and instruments

	// Status is by how much the server's global status counters grew during the run; those that did not are left out.
	Status map[string]float64 `json:"status,omitempty"`

	Server  *Process `json:"server,omitempty"`  // process of the server; nil: not on this machine, or not ours to see
	Machine *Machine `json:"machine,omitempty"` // this machine, the client's; nil: the system does not tell
	Seconds []Second `json:"seconds,omitempty"` // samples of the server process, about one a second, from before the run to its end

	DataBytes int64    `json:"dataBytes,omitempty"` // data and indexes of the schema before the run, as the server estimates them
	Warnings  []string `json:"warnings,omitempty"`  // reasons to doubt the run that its document does not have
}

// Start is one start of a server: the unit of repetition.
type Start struct {
	ID      string    `json:"id"` // the same for all runs on this start, different for all others; of an external server from its uptime
	At      time.Time `json:"at"`
	PID     int       `json:"pid,omitempty"`     // 0: not on this machine
	Version string    `json:"version,omitempty"` // as the server says it
	Options []string  `json:"options,omitempty"` // name=value, that the scenario and target gave at the start, sorted
	Seconds float64   `json:"seconds,omitempty"` // that stop, restore and start took
}

// Process is what a process did during a run.
type Process struct {
	UserSeconds         float64 `json:"userSeconds"`
	SystemSeconds       float64 `json:"systemSeconds"`
	VoluntarySwitches   int64   `json:"voluntarySwitches"`   // context switches of all its threads; of threads that ended meanwhile, up to the last sample
	InvoluntarySwitches int64   `json:"involuntarySwitches"` // the same
	ReadBytes           int64   `json:"readBytes"`           // from storage; -1: not known
	WriteBytes          int64   `json:"writeBytes"`          // to storage; -1: not known
	MemoryBefore        int64   `json:"memoryBefore"`        // resident bytes
	MemoryAfter         int64   `json:"memoryAfter"`
	MemoryPeak          int64   `json:"memoryPeak"` // of the samples of the run
	Threads             int     `json:"threads"`    // most that it had
	CPUs                float64 `json:"cpus"`       // that it may use: affinity and cgroup quota
}

// CPUSeconds is user and system time.
func (p *Process) CPUSeconds() float64 { return p.UserSeconds + p.SystemSeconds }

// Machine is what a machine did during a run; shares are of the time of all its CPUs, 0..1.
type Machine struct {
	CPUs        int     `json:"cpus"`
	BusyShare   float64 `json:"busyShare"`
	StealShare  float64 `json:"stealShare"` // taken by the hypervisor
	IOWaitShare float64 `json:"ioWaitShare"`
}

// Second is a sample of the server process.
type Second struct {
	At     time.Time `json:"at"`
	CPU    float64   `json:"cpu"`    // seconds of CPU that the process has used since its start
	Memory int64     `json:"memory"` // resident bytes
}

// Snapshot is a set of names and values, kept once however many runs share it.
type Snapshot map[string]string
