package target

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"deltabench/internal/hostcost"
)

// processRecord names the process of a server, for those who find it after its starter was killed. It is written before the start
// without the process, and with it right after.
type processRecord struct {
	PID    int    `json:"pid,omitempty"`
	Token  string `json:"token,omitempty"`  // hostcost.StartToken
	Socket string `json:"socket,omitempty"` // outside the directory
}

func (m *ManagedServer) record(r processRecord) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return writeWhole(m.path(processFile), text)
}

// recordProcess writes which process serves the directory. Systems that do not tell start times have none.
func (m *ManagedServer) recordProcess(pid int) error {
	token, err := hostcost.StartToken(pid)
	if err != nil {
		return nil // it has ended already, which is told by others, or nobody can tell
	}
	return m.record(processRecord{PID: pid, Token: token, Socket: m.socket})
}

// StopLeftBehind ends servers below a directory whose starter was killed, and returns a text for each. A process that only has the
// number of such a server is left alone.
func StopLeftBehind(dir string) ([]string, error) {
	var stopped []string
	var errs []error
	walk := func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // it is not there
		case d.IsDir() && (d.Name() == dataDir || d.Name() == imageDir):
			return filepath.SkipDir
		case d.Name() != processFile:
			return nil
		}
		if text, err := stopRecorded(path); err != nil {
			errs = append(errs, err)
		} else if text != "" {
			stopped = append(stopped, text)
		}
		return nil
	}
	_ = filepath.WalkDir(dir, walk) // walk returns no other error
	return stopped, errors.Join(errs...)
}

// Times that a server left behind has: to end when it is asked, and to be gone when it is killed.
const (
	politeLimit = 30 * time.Second
	killLimit   = 30 * time.Second
)

// stopRecorded ends the server of a record and removes the record and the socket.
func stopRecorded(path string) (string, error) {
	text, err := os.ReadFile(path)
	var r processRecord
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return "", os.Remove(path) // none of ours is like this
	}
	same := func() bool {
		token, err := hostcost.StartToken(r.PID)
		return err == nil && token == r.Token
	}
	// The process is held before it is compared, so that what is ended is what was compared, whoever gets its number. Without one its
	// starter was killed while it started: then the system has ended the server.
	var p *os.Process
	if r.PID > 1 {
		if p, err = os.FindProcess(r.PID); err == nil {
			defer func() { _ = p.Release() }()
		}
	}
	if p == nil || !same() {
		removeSocket(r.Socket)
		return "", os.Remove(path)
	}
	_ = terminate(p)
	killed := false
	for end := time.Now().Add(politeLimit); same(); time.Sleep(pollEvery) {
		switch late := time.Now().After(end); {
		case late && killed:
			return "", fmt.Errorf("server %d that a study left behind in %s does not end, even when it is killed", r.PID, filepath.Dir(path))
		case late:
			killed = true
			_ = p.Kill()
			end = time.Now().Add(killLimit)
		}
	}
	removeSocket(r.Socket)
	return fmt.Sprintf("the server that a study left behind in %s (pid %d) is stopped", filepath.Dir(path), r.PID), os.Remove(path)
}
