package conduct

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"deltabench/internal/admin"
	"deltabench/internal/hostcost"
)

// lockFile says which process works in a study's directory.
const lockFile = "lock"

// lock makes a study's directory this process's. Of two processes one gets it; that of a process that was killed is free.
func lock(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory of the study: %w", err)
	}
	path := filepath.Join(dir, lockFile)
	token, _ := hostcost.StartToken(os.Getpid())
	mine := fmt.Sprintf("%d\n%s\n", os.Getpid(), token)
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = f.WriteString(mine)
			return func() { _ = os.Remove(path) }, errors.Join(err, f.Close())
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("directory of the study: %w", err)
		}
		if pid, alive := lockedBy(path); alive {
			return nil, &Problem{What: fmt.Sprintf("another process (pid %d) executes this study", pid), Fix: "wait for it, or stop it"}
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
}

// lockedBy reads a lock; alive is false for one of a process that has ended.
func lockedBy(path string) (pid int, alive bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	first, token, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	pid, err = strconv.Atoi(first)
	if err != nil || pid == os.Getpid() {
		return pid, false
	}
	now, err := hostcost.StartToken(pid)
	return pid, err == nil && now == token
}

// memoryPath is where the settings of a target's server are while a scenario changes them.
func memoryPath(dir, target string) string {
	return filepath.Join(dir, "settings-"+strings.NewReplacer("/", "_", " ", "_").Replace(target)+".json")
}

// remember writes the settings of a server to the disk, before anything is changed.
func remember(ctx context.Context, s *admin.Server, path string) error {
	m, err := s.Remember(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	part := path + ".part"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// putBack puts the settings of a server back as they were remembered; without a memory there is nothing to do.
func putBack(ctx context.Context, s *admin.Server, path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	m := &admin.Memory{}
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if err != nil {
		return nil, fmt.Errorf("settings to put back: %w", err)
	}
	done, err := s.PutBack(ctx, m)
	if err != nil {
		return done, err
	}
	return done, os.Remove(path)
}
