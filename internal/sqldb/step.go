package sqldb

// Step is how far a thread has come on its way to a session.
type Step uint32

// Steps, in order. StepNone is before the first.
const (
	StepNone     Step = iota
	StepConnect       // the connection of the network
	StepGreeting      // the server speaks first
	StepTLS
	StepLogin
	StepPrepare
	StepCount
)

var stepNames = [StepCount]string{
	StepNone: "not begun", StepConnect: "connect", StepGreeting: "login (no greeting from the server)", StepTLS: "TLS",
	StepLogin: "login", StepPrepare: "prepare",
}

// String names the step for people.
func (s Step) String() string {
	if s < StepCount {
		return stepNames[s]
	}
	return "ready"
}

// Stepper is an Env that wants to know how far its thread has come.
type Stepper interface {
	// Step is called at the start of each step, by the thread.
	Step(Step)
}

// Breather is an Env whose thread shares a loop with others. A workload calls Breathe now and then when it computes for long
// without waiting for anything.
type Breather interface {
	// Breathe lets others run when this thread has had the loop for a while. The error is ErrInterrupted at a forced stop.
	Breathe() error
}
