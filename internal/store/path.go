package store

import (
	"errors"
	"path"
	"path/filepath"
	"runtime"
)

// PathVariable is the environment variable that names the store.
const PathVariable = "DELTABENCH_STORE"

// None as the value of PathVariable, or of --store, stands for no store: nothing is recorded.
const None = "none"

// ErrNoHome says that the environment does not tell where a user's files are.
var ErrNoHome = errors.New("neither HOME nor XDG_DATA_HOME is set: name a store with --store=FILE or DELTABENCH_STORE, or --no-record")

// ownDir is the directory of the store among those of this user's programs.
const ownDir = "deltabench"

// DefaultPath is the store of this user: DELTABENCH_STORE, else runs.db in the directory deltabench of XDG_DATA_HOME, else of
// the system's usual place (~/.local/share; ~/Library/Application Support on macOS; %LocalAppData% on Windows). It is None
// when the environment asks for no store, and ErrNoHome when it does not say where to put one.
func DefaultPath(getenv func(string) string) (string, error) {
	return defaultPath(getenv, runtime.GOOS)
}

func defaultPath(getenv func(string) string, goos string) (string, error) {
	if p := getenv(PathVariable); p != "" {
		return p, nil
	}
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) { // others are to be ignored, says the specification
		return filepath.Join(dir, ownDir, "runs.db"), nil
	}
	switch goos {
	case "windows":
		if dir := getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, ownDir, "runs.db"), nil
		}
		return "", errors.New("neither LocalAppData nor XDG_DATA_HOME is set: name a store with --store=FILE or DELTABENCH_STORE, or --no-record")
	case "darwin":
		if home := getenv("HOME"); home != "" {
			return path.Join(home, "Library", "Application Support", ownDir, "runs.db"), nil
		}
	default:
		if home := getenv("HOME"); home != "" {
			return filepath.Join(home, ".local", "share", ownDir, "runs.db"), nil
		}
	}
	return "", ErrNoHome
}
