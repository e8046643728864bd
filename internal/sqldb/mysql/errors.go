package mysql

import (
	"crypto/tls"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"

	"deltabench/internal/sqldb"
	"deltabench/internal/wire"
)

// Error numbers of the client library (CR_…).
const (
	errUnknown        = 2000
	errConnection     = 2002 // also for TCP: what MariaDB's library says where MySQL's says 2003
	errUnknownHost    = 2005
	errGone           = 2006
	errVersion        = 2007
	errHandshake      = 2012
	errOutOfSync      = 2014 // results of the last statement are waiting
	errLost           = 2013
	errTLS            = 2026
	errMalformed      = 2027
	errNoData         = 2031 // parameters were not bound
	errLostExtended   = 2055
	errAuthPlugin     = 2059
	errTCPLostInQuery = 2011 // in sysbench's list of lost connections
)

const unknownState = "HY000"

func clientError(code int, message string) *sqldb.Error {
	return &sqldb.Error{Code: code, State: unknownState, Message: message}
}

// lostConnection reports whether a code is one of those after which sysbench connects again.
func lostConnection(code int) bool {
	switch code {
	case errLost, errGone, errTCPLostInQuery, errLostExtended:
		return true
	}
	return false
}

// transient reports whether opening a connection may succeed later although it ended in this error.
func transient(code int) bool {
	switch code {
	case errConnection, 2003, errUnknownHost, errHandshake,
		1040, 1203, 1226, // too many connections: of the server, of the user
		1053, 1077, 1079, 1927, 4031, // the server is stopping, or has killed the connection
		1158, 1159, 1160, 1161: // network errors seen by the server
		return true
	}
	return lostConnection(code)
}

// interrupted reports whether err comes from the end of the run, not from the server.
func interrupted(err error) bool {
	return errors.Is(err, sqldb.ErrInterrupted) || errors.Is(err, os.ErrDeadlineExceeded)
}

// callError is an error with the text that scripts see, over the error of the server or the client's rules.
type callError struct {
	text string
	err  error
}

func (e *callError) Error() string { return e.text }

func (e *callError) Unwrap() error { return e.err }

// apiError is the error of calls that sysbench's scripts see as "SQL API error" only.
func apiError(err error) error { return &callError{text: "SQL API error", err: err} }

// readError is what a failed read of a reply means. Interruptions are returned as they are.
func readError(err error) error {
	var sequence *wire.SequenceError
	var large *wire.TooLargeError
	switch {
	case interrupted(err):
		return sqldb.ErrInterrupted
	case errors.Is(err, wire.ErrMalformed), errors.As(err, &sequence), errors.As(err, &large):
		return clientError(errMalformed, "Malformed packet ("+err.Error()+")")
	}
	return clientError(errLost, "Lost connection to server during query")
}

// tlsError is a TLS handshake that failed.
func tlsError(err error) *sqldb.Error {
	text := err.Error()
	var verify *tls.CertificateVerificationError
	if errors.As(err, &verify) {
		text = "the server's certificate is refused: " + strings.ReplaceAll(verify.Err.Error(), "x509: ", "")
	}
	e := clientError(errTLS, "TLS/SSL error: "+strings.TrimPrefix(text, "tls: "))
	e.Cause = err
	return e
}

// systemError is the number that MariaDB's library prints in messages about lost logins: errno, which after the
// end of the stream is still 11 (EAGAIN) from the read before.
func systemError(err error) int {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return int(errno)
	}
	return 11
}

// endOfStream reports whether err means that the peer is gone.
func endOfStream(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
