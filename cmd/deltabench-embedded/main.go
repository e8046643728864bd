// Command deltabench-embedded is a MySQL-compatible server with tables in memory, for seeing how deltabench works and
// for tests. It is a program of its own because what it links costs every start, and because a client must not share
// its process with the server that it measures. `deltabench server` starts it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"deltabench/internal/cli"
	"deltabench/internal/embedded"
	"deltabench/internal/sysbench"
	"deltabench/internal/target"
)

// gcPercent lets the heap grow to five times what tables and statements need before it is collected: planning a statement
// leaves much garbage, and marking the rows of a large table each time costs more than the memory is worth.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)
	ctx, stop := context.WithCancel(context.Background())
	signals := cli.Signals()
	go func() {
		<-signals
		stop()
	}()
	code := run(ctx, process{args: cli.OSEnv().Args[1:], getenv: os.LookupEnv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr})
	stop()
	os.Exit(code)
}

// process is what run uses of the process.
type process struct {
	args           []string
	getenv         func(string) (string, bool)
	stdin          io.Reader
	stdout, stderr io.Writer
}

// defaultPort is beside MySQL's, so that a server that is there already is not in the way.
const defaultPort = 3307

const usage = `Usage:
  deltabench server [options]           (or deltabench-embedded [options])

A MySQL-compatible server with tables in memory, for seeing and for tests; it ends with Ctrl-C, and its tables with it.
It listens on this machine only. The account and the database are called sbtest.

Options:
`

// worded is an error of package flag for people.
func worded(err error) string {
	return strings.NewReplacer(
		"flag provided but not defined: -", "there is no option --", " for flag -", " for --", "invalid boolean value", "invalid value",
		"parse error", "a whole number is needed", "value out of range", "the number is too large", "flag needs an argument: -", "no value for --",
	).Replace(err.Error())
}

// run serves until ctx ends and returns the exit code.
func run(ctx context.Context, p process) int {
	o := embedded.Options{User: target.EmbeddedUser, DB: target.EmbeddedDB}
	flags := flag.NewFlagSet(target.EmbeddedProgram, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.Host, "host", "127.0.0.1", "`address` to listen on: 127.0.0.1 or ::1")
	flags.IntVar(&o.Port, "port", defaultPort, "TCP `port`; 0 takes a free one")
	flags.StringVar(&o.Password, "password", "", "`password` of the account, may be empty; without this option that of the environment variable "+target.PasswordVariable+", or a random one")
	withParent := flags.Bool("exit-with-parent", false, "end at the end of standard input, which a parent process holds open")
	version := flags.Bool("version", false, "print the version and exit")
	fail := func(err error) int {
		fmt.Fprintf(p.stderr, "%s: %s\n", target.EmbeddedProgram, err)
		return sysbench.ExitFailure
	}
	switch err := flags.Parse(p.args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.stdout, usage)
		flags.SetOutput(p.stdout)
		flags.PrintDefaults()
		return sysbench.ExitOK
	case err != nil:
		return fail(fmt.Errorf("%s (see --help)", worded(err)))
	case flags.NArg() > 0:
		return fail(fmt.Errorf("unexpected argument %q (see --help)", flags.Arg(0)))
	}
	if *version {
		fmt.Fprintln(p.stdout, versionLine())
		return sysbench.ExitOK
	}
	given, chosen := false, true
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == "password" })
	if !given {
		if o.Password, given = p.getenv(target.PasswordVariable); !given {
			o.Password, chosen = randomPassword(), false
		}
	}
	s, err := embedded.Listen(o)
	if err != nil {
		return fail(err)
	}
	if *withParent {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		go func() {
			_, _ = io.Copy(io.Discard, p.stdin) // an error is an end as well
			cancel()
		}()
	}
	told := strings.Join(facts(s, o, *withParent, chosen), "\n") + "\n"
	if _, err := io.WriteString(p.stdout, told); err != nil { // nobody knows the address
		var system syscall.Errno
		if errors.As(err, &system) {
			err = system
		}
		fail(fmt.Errorf("write standard output: %w", err))
		return sysbench.ExitOutput
	}
	if err := s.Serve(ctx); err != nil {
		return fail(err)
	}
	return sysbench.ExitOK
}
