package conduct

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"deltabench/internal/admin"
)

// lockFile says which process works in a study's directory.
const lockFile = "lock"

// lock makes a study's directory this process's. Of two processes one gets it; the system frees that of a process that has ended.
func lock(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, noDirectory(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, noDirectory(err)
	}
	if !tryLock(f) {
		pid := make([]byte, 20)
		n, _ := f.ReadAt(pid, 0)
		_ = f.Close()
		return nil, &Problem{What: fmt.Sprintf("another process (pid %s) executes this study", strings.TrimSpace(string(pid[:n]))), Fix: "wait for it, or stop it"}
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		_ = f.Close()
		return nil, noDirectory(err)
	}
	return func() { _ = f.Close() }, nil
}

// locked reports whether a process works in a study's directory.
func locked(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	return !tryLock(f)
}

// memoryPath is where the settings of a target's server are while a scenario changes them.
func memoryPath(dir, target string) string {
	return filepath.Join(dir, "settings-"+strings.NewReplacer("/", "_", " ", "_").Replace(target)+".json")
}

// remember writes the settings of a server to the disk, before anything is changed. A memory that is there already is of settings that
// were not put back: they are put back first, and when that fails nothing may be changed, or what they were would be lost.
func remember(ctx context.Context, s *admin.Server, path string) error {
	if _, err := putBack(ctx, s, path); err != nil {
		return notPutBack(path, err)
	}
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

// notPutBack ends a study: the settings of somebody's server are not what they were.
func notPutBack(path string, err error) error {
	return &Problem{What: fmt.Sprintf("settings of the server are not put back: %s", oneLine(err)), Fix: "they are in " + path + "; 'deltabench study resume' tries again"}
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
