package nullserver

import (
	"time"

	"deltabench/internal/wire"
)

// Query is a command of a client, or its login.
type Query struct {
	Connection uint32          // number of the connection, from 1
	Number     uint64          // of the command on its connection, from 1; 0 for the login
	Command    wire.Command    // 0 for the login
	SQL        string          // text of the statement, also for executions; the database for ComInitDB
	Args       []wire.Argument // of an execution; valid during the call
	User       string
	// Arrived is when the command had been read, in nanoseconds of Server.Now.
	Arrived int64
}

// Login reports whether q is not a command but the client's login, of which the last reply is meant.
func (q *Query) Login() bool { return q.Command == 0 }

// FaultKind is a way to go wrong.
type FaultKind int

// Faults. What is said of replies goes for all packets of the reply.
const (
	FaultNone     FaultKind = iota
	FaultClose              // the connection is closed instead of a reply
	FaultCut                // N bytes of the reply are sent, half of it when N is 0; then the connection is closed
	FaultHangUp             // the connection is closed right after the reply
	FaultGarbage            // N bytes that are no packet are sent instead of the reply, 64 when N is 0
	FaultSequence           // the sequence numbers of the reply are too high by N, by 1 when N is 0
	FaultSplit              // each byte of the reply is a write of its own, with Pause between them
	FaultSilence            // there is no reply, and the connection stays
	FaultLength             // a header announces 16 MiB, and nothing follows; the connection stays
)

// Fault spoils one reply.
type Fault struct {
	Kind FaultKind
	N    int
	// Reset closes the connection with a TCP reset where it is to be closed.
	Reset bool
	Pause time.Duration
}

// Record is what a server remembers of a command.
type Record struct {
	Connection uint32
	Number     uint64
	Command    wire.Command
	SQL        string
	// Arrived is when the command had been read, Replied when its reply had been written (0: there was none, as after
	// COM_STMT_CLOSE or for a fault), in nanoseconds of Server.Now.
	Arrived, Replied int64
	Fault            FaultKind
}

// Login is what a server remembers of a successful login.
type Login struct {
	Connection   uint32
	User, DB     string
	Auth         string // method
	Switched     bool   // the method was not the greeting's
	Full         bool   // the client sent the password itself, plain or sealed
	TLS          string // version, empty without TLS
	Compression  wire.Algorithm
	Capabilities wire.Capability // what both sides use
	Attrs        []byte          // connection attributes as they travel
}

// Stats counts what happened since the start.
type Stats struct {
	Connections    uint64 // accepted
	Open           int    // now
	Logins         uint64 // successful
	Denied         uint64 // refused logins
	Queries        uint64 // text queries and executions
	Errors         uint64 // ERR packets in reply to commands
	RecordsDropped uint64 // beyond Options.Records
}
