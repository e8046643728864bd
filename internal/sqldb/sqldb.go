// Package sqldb is the interface between workloads and database drivers: connections, prepared
// statements, classes of queries and errors, as sysbench's workloads see them (specification 5.6–5.9).
//
// Drivers live in subpackages. A connection belongs to one thread at a time and is not safe for
// concurrent use. All blocking goes through Env, so that the same driver runs in an event-loop
// coroutine, in a goroutine of its own and in a command such as prepare.
package sqldb

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"deltabench/internal/measure"
)

// Env is what a connection needs from whoever executes its thread.
type Env interface {
	// Dial opens a stream to address (network "tcp" with a numeric address, or "unix").
	// It blocks the thread only. timeout 0 means none.
	Dial(network, address string, timeout time.Duration) (net.Conn, error)
	// Sleep blocks the thread for d, less when the run is interrupted (then an error).
	Sleep(d time.Duration) error
	// Stopping reports whether the run has ended for this thread (time limit, Ctrl-C, a fatal error
	// elsewhere): loops that wait for better times give up then.
	Stopping() bool
}

// Driver opens connections. It is safe for concurrent use.
type Driver interface {
	// Name is "mysql" or "pgsql".
	Name() string
	// Connect opens a connection for the calling thread. Queries, errors and reconnects are counted in
	// stats, which may be nil (commands that are not measured).
	Connect(env Env, stats *measure.Thread) (Conn, error)
}

// ParamType is the type of a statement's parameter.
type ParamType uint8

// Parameter types. All integers travel as 64-bit.
const (
	IntParam ParamType = iota
	DoubleParam
	StringParam
)

// RowFunc receives one row of a result set in text form; a nil element is NULL. The slices are valid
// only during the call.
type RowFunc func(columns [][]byte) error

// Result is the outcome of a successful statement.
type Result struct {
	Class    measure.Class // from the server's reply, not from the text (specification 5.9)
	HasRows  bool          // a result set was returned, even an empty one
	Rows     int64         // rows of the result set
	Affected uint64        // rows changed, when there is no result set
	InsertID uint64
}

// Conn is one connection.
type Conn interface {
	// Query sends text as it is. rows may be nil: the result set is then skipped in place.
	Query(text string, rows RowFunc) (Result, error)
	// Prepare prepares text with a parameter type for each ? in it. kind is the label under which the
	// latency of the statement is recorded when latency is wanted by statement.
	// The statement survives Reconnect: it is prepared again there.
	Prepare(text string, kind measure.Kind, params ...ParamType) (Stmt, error)
	// SetKind sets the label for the next calls of Query (latency by statement).
	SetKind(kind measure.Kind)
	// Reconnect closes the connection and opens it again to the same server, trying every
	// millisecond until it succeeds or the run stops. Counted as a reconnect.
	Reconnect() error
	// Close ends the session politely without waiting for the server. A second call does nothing.
	Close() error
	// Transport describes the connection in use, for reports.
	Transport() Transport
}

// Loader is a Conn for loading data and for statements of this program's own. Its calls are not counted, not logged
// and never ignored: an error is the *Error, or ErrInterrupted.
type Loader interface {
	// Try is Query.
	Try(text string, rows RowFunc) (Result, error)
	// LoadInfile executes text, a LOAD DATA LOCAL INFILE statement of the file named file, with what data yields in place of
	// that file. Whatever else the server asks for it does not get. When data fails, or was not read to its end, the
	// connection is lost, since the server would take what it got for all.
	LoadInfile(text, file string, data io.Reader) (Result, error)
}

// Stmt is a prepared statement (or its client-side emulation). Parameters keep their value until set
// again. Calls with an index out of range or of the wrong type panic: they are mistakes of the workload.
type Stmt interface {
	SetInt(i int, v int64)
	SetDouble(i int, v float64)
	// SetString copies v.
	SetString(i int, v []byte)
	SetNull(i int)
	// Execute sends the statement; the result set is skipped in place.
	Execute() (Result, error)
	Close() error
}

// Transport is how a connection reaches its server.
type Transport struct {
	Network       string // "tcp" or "unix"
	Address       string // host:port or socket path
	TLS           string // version and cipher suite such as "TLSv1.3 TLS_AES_128_GCM_SHA256", empty without TLS
	Compression   string // "zlib", "zstd" or empty
	Protocol      string // "prepared statements" or "text"
	Server        string // version string of the server
	AuthMethod    string
	MetadataCache bool // column definitions are not repeated by the server
}

// Error is an error reported by a server (codes 1000 and up) or by the client library's rules
// (2000–2999, such as 2013 connection lost).
type Error struct {
	Code    int
	State   string // SQLSTATE, five characters
	Message string
	Cause   error // what the operating system or the TLS library said, or ErrInitSQL; else nil when the server sent the error
}

func (e *Error) Error() string {
	return fmt.Sprintf("error %d (%s): %s", e.Code, e.State, e.Message)
}

// StatementError is a fatal error of a statement. Its text is what scripts see.
type StatementError struct {
	Err   *Error
	Query string // text of the statement, or what scripts are told in its place
}

func (e *StatementError) Error() string {
	return fmt.Sprintf("SQL error, errno = %d, state = '%s': %s", e.Err.Code, e.Err.State, e.Err.Message)
}

// Unwrap returns the server's error.
func (e *StatementError) Unwrap() error { return e.Err }

// Restart is an ignored error: the event it happened in is to be executed again. It wraps the Error.
type Restart struct {
	Err         *Error
	Query       string // text of the statement
	Reconnected bool   // the connection was opened anew; session state is lost
}

func (r *Restart) Error() string { return "restart the event: " + r.Err.Error() }

// Unwrap returns the ignored error.
func (r *Restart) Unwrap() error { return r.Err }

// Restartable reports whether err asks for the event to be executed again.
func Restartable(err error) bool {
	var r *Restart
	return errors.As(err, &r)
}

// ErrConnect is in the chain of errors of Driver.Connect and Conn.Reconnect: there was no session yet.
var ErrConnect = errors.New("connection creation failed")

// ErrInitSQL is the cause of connections that failed in the statements which every connection begins with.
var ErrInitSQL = errors.New("a statement of --mysql-init-sql failed")

// ErrInterrupted is returned by calls that a forced stop of the run has cut short. Nothing is known
// of the statement's effect; the connection must not be used again.
var ErrInterrupted = errors.New("interrupted by the end of the run")
