package conduct

import (
	"time"

	"deltabench/internal/study"
)

// EventKind is what happened.
type EventKind int

// Kinds of events, in the order in which they come.
const (
	StudyStarted    EventKind = iota // Text: what is resumed, or empty
	TargetPreparing                  // the data image of a target is made; Text says what is done: "initialise", "load 4 tables x 10,000 rows"
	StepStarted                      // a scenario of a round: restore, start, settings, checks
	RunStarted
	RunSecond   // each second of a run: QPS, P95
	RunFinished // QPS of the run, Err when it failed
	StepFinished
	RoundFinished // Text: the estimate so far of the largest change, or empty
	EqualLoadStarted
	Warned // Text: something to know, once
	StudyFinished
	StudyStopped // Text: why, after an interrupt or a fatal error
)

// Event is a step of a study, for progress. Fields that a kind does not have are zero.
type Event struct {
	Kind EventKind
	At   time.Time
	Step study.Step
	Key  study.Key // of a run

	Second      int     // of the run, from 1
	QPS         float64 // queries per second
	TPS         float64 // transactions per second
	Metric      string  // qps or tps: by which the study is judged
	P95         float64 // ms
	Took        time.Duration
	Done, Total int           // runs
	Left        time.Duration // estimate for the rest of the study
	Text        string
	Err         error
}
