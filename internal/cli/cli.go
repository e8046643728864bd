// Package cli is the outermost layer: it chooses the face (sysbench or deltabench), carries signals to a
// running command, and turns results into exit codes.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"deltabench/internal/optionfile"
	"deltabench/internal/sysbench"
)

// Env is the state of the process that commands may use.
type Env struct {
	Args   []string // with the program's name in front
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	// OptionFiles are the option files of all users.
	OptionFiles []string
	Signals     <-chan os.Signal // interrupts; nil: none are handled
	Exit        func(int)        // ends the process at once, at the second interrupt
}

// OSEnv is the Env of this process. It is to be called once, before anything slow: passwords among the arguments are
// overwritten where other processes see them.
func OSEnv() Env {
	return Env{Args: conceal(os.Args), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Exit: os.Exit, OptionFiles: optionfile.Global(os.Getenv)}
}

// FaceOf returns the face that a program name asks for.
func FaceOf(program string) sysbench.Face {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	if name == "sysbench" {
		return sysbench.FaceSysbench
	}
	return sysbench.FaceDeltabench
}

// Main runs the program and returns its exit code.
func Main(env Env) int {
	face := FaceOf(env.Args[0])
	if face == sysbench.FaceDeltabench && len(env.Args) > 1 && env.Args[1] == serverWord {
		return server(env)
	}
	ctx := context.Background()
	if face == sysbench.FaceDeltabench {
		// sysbench dies at the first signal; we end the run and print what was measured.
		if env.Signals == nil {
			env.Signals = Signals() // to the end of the process: a late signal does not take the exit code from a run that has ended
		}
		var stop context.CancelFunc
		ctx, stop = interruptible(ctx, env)
		defer stop()
		if f, ok := env.Stdout.(*os.File); ok && closedAtStart(f) {
			fmt.Fprintln(env.Stderr, "deltabench: standard output is closed, or /dev/null: reports are lost")
		}
	}
	if face == sysbench.FaceDeltabench && isCommand(env.Args) {
		return execute(ctx, env)
	}
	return sysbench.Main(ctx, sysbench.Env{
		Args: env.Args, Stdin: env.Stdin, Stdout: env.Stdout, Stderr: env.Stderr, Getenv: env.Getenv, Face: face,
		OptionFiles: env.OptionFiles, Commands: commandNames(),
	})
}

// Signals are the signals that end a command: Ctrl-C, SIGTERM, and SIGHUP, which comes when a terminal or connection is closed. Those that
// are ignored when the process starts stay so.
func Signals() <-chan os.Signal {
	ch := make(chan os.Signal, 4)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // nohup and jobs in the background of a script
			signal.Notify(ch, sig)
		}
	}
	return ch
}

// atOnce is what is to be known when the second signal ends a command; empty: nothing.
func atOnce(args []string) string {
	if len(args) > 2 && args[1] == "study" && (args[2] == "run" || args[2] == "resume" || args[2] == "check") {
		return fmt.Sprintf("%s study %s: ended at once: 'deltabench study resume' puts settings of servers back and goes on; if there was no run yet, the next study removes what is left in the work directory", program, args[2])
	}
	return ""
}

// interruptible returns a context that the first signal ends; the second one ends the process. A second SIGHUP does not: a terminal that is
// closed sends one, and its shell another.
func interruptible(parent context.Context, env Env) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	done := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case sig := <-env.Signals:
				if n > 0 && sig == syscall.SIGHUP {
					continue
				}
			}
			if n > 0 {
				if text := atOnce(env.Args); text != "" {
					fmt.Fprintln(env.Stderr, text)
				}
				env.Exit(sysbench.ExitInterrupted)
			}
			cancel()
		}
	}()
	return ctx, func() { close(done); cancel() }
}
