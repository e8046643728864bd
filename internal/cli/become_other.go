//go:build !unix

package cli

import (
	"errors"
	"os/exec"
)

// become executes a program as this process would and returns its exit code. Interrupts from the console reach both.
func become(env Env, path string, args []string) (int, error) {
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Stdin, env.Stdout, env.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
