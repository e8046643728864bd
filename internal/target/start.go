package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"deltabench/internal/admin"
	"deltabench/internal/hostcost"
	"deltabench/internal/study"
)

// serverProcess is a server's process while it runs.
type serverProcess struct {
	pid      int
	process  *os.Process
	logStart int64 // of the error log, at the start
	done     chan struct{}
	waitErr  error // valid when done is closed
}

func (p *serverProcess) err() string {
	if p.waitErr == nil {
		return "exit status 0"
	}
	return p.waitErr.Error()
}

// processRecord names the process of a server, for those who find it after its starter was killed.
type processRecord struct {
	PID   int    `json:"pid"`
	Token string `json:"token"` // hostcost.StartToken
}

// Start starts the server on its data with these options besides the base ones, and waits until it answers. Errors have the line of
// its log that says why.
func (m *ManagedServer) Start(ctx context.Context, options []study.Option) error {
	if m.running != nil {
		return errors.New("the server runs already")
	}
	if m.second != nil {
		all := append(m.replicationOptions(false), options...)
		err := m.startAlone(ctx, all)
		if err == nil {
			err = m.replicate(ctx, options)
		}
		if err != nil {
			_ = m.Stop(context.WithoutCancel(ctx)) // the first error counts
		}
		return err
	}
	return m.startAlone(ctx, options)
}

// startAlone starts the server without its replica.
func (m *ManagedServer) startAlone(ctx context.Context, options []study.Option) error {
	const attempts = 3 // a port may have been taken between finding and using it
	for attempt := 1; ; attempt++ {
		err := m.startOnce(ctx, options)
		if err == nil || !strings.Contains(err.Error(), "port") || !strings.Contains(err.Error(), "in use") || attempt == attempts {
			return err
		}
		m.port = 0
	}
}

func (m *ManagedServer) startOnce(ctx context.Context, options []study.Option) error {
	if m.port == 0 {
		var err error
		if m.port, err = freePort(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(m.path(tmpDir), 0o700); err != nil {
		return err
	}
	if err := m.writeOptions(options); err != nil {
		return fmt.Errorf("option file of the server: %w", err)
	}
	p := &serverProcess{done: make(chan struct{})}
	if info, err := os.Stat(m.path(logFile)); err == nil {
		p.logStart = info.Size()
	}
	if err := m.launch(p); err != nil {
		return fmt.Errorf("start %s: %w", m.config.Binary, err)
	}
	m.mu.Lock()
	m.running = p
	m.mu.Unlock()
	if err := m.ready(ctx, p); err != nil {
		_ = m.Stop(context.WithoutCancel(ctx)) // the first error counts
		return err
	}
	return nil
}

// launch starts the process. It is bound to a thread that lives as long as it does: the system kills it when that thread ends, so
// when we do.
func (m *ManagedServer) launch(p *serverProcess) error {
	started := make(chan error)
	go func() {
		release := keepThread()
		defer release()
		cmd := exec.Command(m.config.Binary.Path, "--defaults-file="+m.path(optionsFile))
		out, err := os.OpenFile(m.path(logFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			defer out.Close()
			cmd.Stdout, cmd.Stderr = out, out
			dieWithUs(cmd)
			err = hostcost.WithCPUs(m.config.CPUs, cmd.Start)
		}
		if err != nil {
			started <- err
			return
		}
		p.pid, p.process = cmd.Process.Pid, cmd.Process
		started <- m.recordProcess(p.pid)
		p.waitErr = cmd.Wait()
		close(p.done)
	}()
	return <-started
}

// recordProcess writes which process serves the directory. Systems that do not tell start times have none.
func (m *ManagedServer) recordProcess(pid int) error {
	token, err := hostcost.StartToken(pid)
	if err != nil {
		return nil // it has ended already, which is told by others, or nobody can tell
	}
	text, err := json.Marshal(processRecord{pid, token})
	if err != nil {
		return err
	}
	return os.WriteFile(m.path(processFile), text, 0o600)
}

// ready waits until the server answers.
func (m *ManagedServer) ready(ctx context.Context, p *serverProcess) error {
	limit := time.NewTimer(serverStartLimit)
	defer limit.Stop()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	// Before there is our account, root has no password.
	addresses := []admin.Address{m.Address(), {User: "root", Socket: m.socket}}
	var last error
	for {
		select {
		case <-p.done:
			return fmt.Errorf("start %s: %s", m.config.Binary, orError(m.said(p.logStart), errors.New("it ended with "+p.err())))
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-limit.C:
			return fmt.Errorf("start %s: no answer after %v: %w; %s", m.config.Binary, serverStartLimit, last, m.said(p.logStart))
		case <-tick.C:
		}
		if _, err := os.Stat(m.socket); err != nil {
			continue
		}
		for _, a := range addresses {
			s, err := admin.Open(ctx, a)
			if err == nil {
				s.Close()
				return nil
			}
			last = err
			if admin.NotThere(err) {
				break
			}
		}
	}
}

// Stop ends the server: politely first, for good after two minutes. Without a running server nothing happens.
func (m *ManagedServer) Stop(ctx context.Context) error {
	m.mu.Lock()
	p := m.running
	m.running = nil
	m.mu.Unlock()
	if m.second != nil {
		if err := m.second.Stop(ctx); err != nil {
			return err
		}
	}
	if p == nil {
		return nil
	}
	_ = terminate(p.process) // fails only when it has ended
	limit := time.NewTimer(serverStopLimit)
	defer limit.Stop()
	select {
	case <-p.done:
	case <-limit.C:
		_ = p.process.Kill()
		<-p.done
	case <-ctx.Done():
		_ = p.process.Kill()
		<-p.done
	}
	_ = os.Remove(m.socket)
	return os.Remove(m.path(processFile))
}

// said is what the error log says since a start: its worst line.
func (m *ManagedServer) said(from int64) string {
	f, err := os.Open(m.path(logFile))
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 1 << 20
	text := make([]byte, most)
	n, _ := f.ReadAt(text, from)
	return worstLine(string(text[:n]))
}

var logHead = regexp.MustCompile(`^\S+[ T]\S+ +(\d+ )?\[\w+\] (\[\S+\] )*`)

// causes are what lines of error logs mean, with what to do; the first that is there counts.
var causes = []struct{ has, text string }{
	{"unknown variable", "check the name of this server option"},
	{"unknown option", "check the name of this server option"},
	{"unknown suffix", "check the value of this server option"},
	{"Error while setting value", "check the value of this server option"},
	{"No space left", "the disk is full: free space, or name another directory with --work-dir"},
	{"Errcode: 28", "the disk is full: free space, or name another directory with --work-dir"},
	{"error number 28", "the disk is full: free space, or name another directory with --work-dir"},
	{"Unable to lock", "another server uses this data directory"},
	{"Can't lock aria control file", "another server uses this data directory"},
	{"Address already in use", "the port is in use"},
	{"Cannot allocate memory", "the machine has too little memory for these options"},
	{"Permission denied", "the directory cannot be used by this user"},
}

// worstLine is the line of a server's log that says why it ended, with what to do.
func worstLine(text string) string {
	first, last := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" {
			last = line
		}
		isError := strings.Contains(line, "[ERROR]") && !strings.Contains(line, "Aborting") || strings.Contains(line, "got signal") || strings.HasPrefix(line, "ERROR")
		for _, c := range causes {
			if strings.Contains(line, c.has) && (isError || !strings.Contains(line, "[")) {
				return logHead.ReplaceAllString(line, "") + " (" + c.text + ")"
			}
		}
		if isError && first == "" {
			first = line
		}
	}
	if first == "" {
		first = last
	}
	return logHead.ReplaceAllString(first, "")
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

// stopRecorded ends the server of a record and removes the record.
func stopRecorded(path string) (string, error) {
	text, err := os.ReadFile(path)
	var r processRecord
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil || r.PID <= 1 {
		return "", os.Remove(path) // it was being written when its writer was killed: then the system has ended the server
	}
	same := func() bool {
		token, err := hostcost.StartToken(r.PID)
		return err == nil && token == r.Token
	}
	if !same() {
		return "", os.Remove(path)
	}
	p, err := os.FindProcess(r.PID)
	if err != nil {
		return "", fmt.Errorf("server %d that a study left behind: %w", r.PID, err)
	}
	_ = terminate(p)
	const patience = 30 * time.Second
	for end := time.Now().Add(patience); same(); time.Sleep(pollEvery) {
		if time.Now().After(end) {
			_ = p.Kill()
			end = end.Add(patience)
		}
	}
	return fmt.Sprintf("the server that a study left behind in %s (pid %d) is stopped", filepath.Dir(path), r.PID), os.Remove(path)
}
