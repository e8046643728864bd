package target

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
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
	answered bool  // it has been ready
	done     chan struct{}
	waitErr  error // valid when done is closed
}

func (p *serverProcess) err() string {
	if p.waitErr == nil {
		return "exit status 0"
	}
	return p.waitErr.Error()
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
	if err := m.dataFree(ctx); err != nil {
		return err
	}
	if m.port == 0 {
		var err error
		if m.port, err = freePort(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(m.path(tmpDir), 0o700); err != nil {
		return err
	}
	if err := m.makeSocket(); err != nil {
		return err
	}
	if err := m.writeOptions(options); err != nil {
		return fmt.Errorf("option file of the server: %w", err)
	}
	// From here on whoever finds the directory after we were killed knows what there may be.
	if err := m.record(processRecord{Socket: m.socket}); err != nil {
		return fmt.Errorf("directory of the server: %w", err)
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
	m.mu.Lock()
	p.answered = true
	m.mu.Unlock()
	return nil
}

// lockLimit is how long a server that used the data may take to be gone: one that was killed still returns its memory.
const lockLimit = 5 * time.Second

// dataFree waits until no server uses the data. Servers find out themselves, but MariaDB tries for half a minute.
func (m *ManagedServer) dataFree(ctx context.Context) error {
	for end := time.Now().Add(lockLimit); ; time.Sleep(pollEvery) {
		pid := lockedBy(m.path(dataDir, "ibdata1"))
		switch {
		case pid == 0:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case time.Now().After(end):
			return fmt.Errorf("start %s: another server (pid %d) uses this data directory, %s: stop it, or name another directory with --work-dir", m.config.Binary, pid, m.path(dataDir))
		}
	}
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
		if err := m.recordProcess(p.pid); err != nil {
			_ = cmd.Process.Kill() // nobody would find it
			_ = cmd.Wait()
			started <- err
			return
		}
		started <- nil
		p.waitErr = cmd.Wait()
		close(p.done)
	}()
	return <-started
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
			return fmt.Errorf("start %s: %s", m.config.Binary, orError(m.explained(ctx, worstLine(m.said(p.logStart))), errors.New("it ended with "+p.err())))
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-limit.C:
			return fmt.Errorf("start %s: no answer after %v: %w; %s", m.config.Binary, serverStartLimit, last, worstLine(m.said(p.logStart)))
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

// startingStopLimit is how long a server that has not been ready may take to end when it is asked. MariaDB 10.11 that is asked while it
// starts never ends, whatever it is asked later (seen in half of all moments of a start: its main thread waits for a signal handler that
// has gone); what its data lack then is recovered by the next start.
const startingStopLimit = 3 * time.Second

// Stop ends the server: politely first, for good after two minutes, or after seconds if it has never answered. Without a running server
// nothing happens.
func (m *ManagedServer) Stop(ctx context.Context) error {
	m.mu.Lock()
	p := m.running
	m.running = nil
	patience := serverStopLimit
	if p != nil && !p.answered {
		patience = startingStopLimit
	}
	m.mu.Unlock()
	var err error
	if m.second != nil {
		err = m.second.Stop(ctx)
	}
	if p == nil {
		return err
	}
	_ = terminate(p.process) // fails only when it has ended
	limit := time.NewTimer(patience)
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
	_ = os.Remove(m.socket) // a server that ended well has done it
	if gone := os.Remove(m.path(processFile)); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
