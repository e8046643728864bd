// Package target starts the servers that a command needs for itself, and stops them. It knows processes and how to
// reach what they serve; tests, options and reports are the caller's.
package target

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/textlog"
)

// EmbeddedProgram is the name of the embedded server's program.
const EmbeddedProgram = "deltabench-embedded"

// EmbeddedNote is what every report of numbers from an embedded server says.
const EmbeddedNote = "embedded server: for seeing and tests, not a MySQL"

// Account and schema of an embedded server.
const (
	EmbeddedUser = "sbtest"
	EmbeddedDB   = "sbtest"
)

// PasswordVariable is the environment variable that hands a password to an embedded server, and to clients: it is
// then in no process list.
const PasswordVariable = "MYSQL_PWD"

// readyWord begins the line with the address that the program prints when it serves.
const readyWord = "ready "

// ReadyLine is the line that an embedded server prints when it serves at address.
func ReadyLine(address string) string { return readyWord + address }

const (
	startLimit = 60 * time.Second // a start takes half a second; machines are busy
	stopLimit  = 10 * time.Second
)

// ErrNoEmbedded is in the chain of errors about a missing program.
var ErrNoEmbedded = errors.New(EmbeddedProgram + " was not found")

// FindEmbedded returns the path of the embedded server's program: beside this program, or on the PATH.
func FindEmbedded() (string, error) {
	name := EmbeddedProgram
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	dir := "this program"
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		dir = filepath.Dir(self)
		if path := filepath.Join(dir, name); isFile(path) {
			return path, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("%w in %s or on the PATH; build it with `make build`", ErrNoEmbedded, dir)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Embedded is a running embedded server. It ends with Close, and with this process however that ends.
type Embedded struct {
	Host     string
	Port     int
	User     string
	Password string
	DB       string

	cmd   *exec.Cmd
	stdin io.Closer // the server ends at its end
	done  chan struct{}
	err   error // of the process; valid when done is closed
}

// StartEmbedded starts an embedded server without any table on a free port of the loopback interface and waits until it serves.
func StartEmbedded(ctx context.Context) (*Embedded, error) {
	path, err := FindEmbedded()
	if err != nil {
		return nil, err
	}
	e := &Embedded{User: EmbeddedUser, DB: EmbeddedDB, Password: rand.Text(), done: make(chan struct{})}
	out, errs := &watcher{ready: make(chan string, 1)}, &textlog.Tail{}
	e.cmd = exec.Command(path, "--port=0", "--exit-with-parent")
	e.cmd.Env = append(os.Environ(), PasswordVariable+"="+e.Password)
	e.cmd.Stdout, e.cmd.Stderr = out, errs
	apart(e.cmd)
	if e.stdin, err = e.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	if err := e.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	go func() {
		e.err = e.cmd.Wait()
		close(e.done)
	}()
	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	select {
	case address := <-out.ready:
		host, port, err := net.SplitHostPort(address)
		if err == nil {
			e.Host = host
			e.Port, err = strconv.Atoi(port)
		}
		if err != nil {
			e.Close()
			return nil, fmt.Errorf("start %s: it says that it is ready at %q", path, address)
		}
		return e, nil
	case <-e.done:
		why := lastLine(errs.String())
		if why == "" {
			why = fmt.Sprint(e.err)
		}
		return nil, fmt.Errorf("start %s: %s", path, why)
	case <-limit.C:
		err = fmt.Errorf("start %s: not ready after %v", path, startLimit)
	case <-ctx.Done():
		err = fmt.Errorf("start %s: %w", path, context.Cause(ctx))
	}
	e.Close()
	return nil, err
}

// Close ends the server and waits for its end.
func (e *Embedded) Close() {
	_ = e.stdin.Close() // fails only when it has ended
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-e.done:
	case <-limit.C:
		_ = e.cmd.Process.Kill() // as above
		<-e.done
	}
}

// watcher looks for the line with the address in what the server prints.
type watcher struct {
	ready chan string
	line  []byte
	found bool
}

func (w *watcher) Write(p []byte) (int, error) {
	for _, b := range p {
		if w.found {
			break
		}
		if b != '\n' {
			w.line = append(w.line, b)
			continue
		}
		if address, ok := strings.CutPrefix(strings.TrimSpace(string(w.line)), readyWord); ok {
			w.found = true
			w.ready <- address
		}
		w.line = w.line[:0]
	}
	return len(p), nil
}

// lastLine of what a server said.
func lastLine(said string) string {
	said = strings.TrimSpace(said)
	return said[strings.LastIndexByte(said, '\n')+1:]
}

// PID is the process of the server.
func (e *Embedded) PID() int { return e.cmd.Process.Pid }
