package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"deltabench/internal/study"
	"deltabench/internal/textlog"
)

// RunHook executes a command of the user's with sh, with further variables in its environment. It is ended, with what it started, at its
// time limit and when ctx ends.
func RunHook(ctx context.Context, name string, h study.Hook, env []string) error {
	limited, cancel := context.WithTimeoutCause(ctx, h.Timeout, fmt.Errorf("not ended after %v", h.Timeout))
	defer cancel()
	said := &textlog.Tail{}
	cmd := exec.CommandContext(limited, "sh", "-c", h.Command)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = said, said
	apart(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = stopLimit
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		err = context.Cause(limited)
	}
	text := strings.TrimSpace(said.String())
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	if text != "" {
		err = errors.New(err.Error() + ": " + text)
	}
	return fmt.Errorf("hook %s (%s): %w", name, h.Command, err)
}
