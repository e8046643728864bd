//go:build unix

package cli

import (
	"os"
	"syscall"
)

// become replaces this process by a program: it gets the signals that were meant for us. It returns only errors.
func become(_ Env, path string, args []string) (int, error) {
	return 0, syscall.Exec(path, append([]string{path}, args...), os.Environ())
}
