package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"deltabench/internal/report"
	"deltabench/internal/sysbench"
)

// command is one of our own commands. Its constructor is in cmd_NAME.go.
type command struct {
	name      string
	construct func(Env) *cobra.Command
}

// commands are all of them, in the order of help. A word of this list as the first argument wins over tests and
// scripts of that name; everything else on the command line is sysbench's grammar.
func commands() []command {
	return []command{
		{"demo", newDemo},
		{"explain", newExplain},
		{"study", newStudy},
		{"report", newReport},
		{"compare", newCompare},
		{"runs", newRuns},
		{"store", newStore},
		{"reference", newReference},
		{"script", newScript},
		{serverWord, newServer},
		{"schema", newSchema},
		{"version", newVersion},
		{"completion", newCompletion},
		{"man", newMan},
		{"help", newHelp},
	}
}

// isCommand reports whether a command line is for one of our commands. It constructs nothing: runs start fast.
func isCommand(args []string) bool {
	if len(args) < 2 {
		return false
	}
	switch args[1] {
	case cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd: // what shells ask
		return true
	}
	return slices.ContainsFunc(commands(), func(c command) bool { return c.name == args[1] })
}

// exitCode is the error of a command that has said everything and ends with this code.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// ended turns an exit code into the error of a command.
func ended(code int) error {
	if code == sysbench.ExitOK {
		return nil
	}
	return exitCode(code)
}

// newRoot returns the tree of our commands. Shells also ask it what sysbench's grammar allows.
func newRoot(env Env) *cobra.Command {
	root := &cobra.Command{
		Use:                program,
		Short:              "Measure what a change does to a MySQL server's performance",
		Long:               rootLong,
		SilenceUsage:       true,
		SilenceErrors:      true,
		Args:               cobra.ArbitraryArgs,
		DisableFlagParsing: true, // sysbench's grammar is not cobra's
		ValidArgsFunction:  completeTest,
		CompletionOptions:  cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetFlagErrorFunc(flagError)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	for _, c := range commands() {
		cmd := c.construct(env)
		if c.name == "help" {
			root.SetHelpCommand(cmd)
			continue
		}
		root.AddCommand(cmd)
	}
	return root
}

// flagError words a flag's wrong value for people.
func flagError(_ *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	if !errors.As(err, &wrong) {
		return err
	}
	needed := map[string]string{
		"int": "a whole number is needed", "uint64": "a whole number of 0 or more is needed", "duration": "a time such as 800ms or 2s is needed",
		"bool": "true or false is needed", "float64": "a number is needed",
	}[wrong.GetFlag().Value.Type()]
	if needed == "" {
		return err
	}
	return fmt.Errorf("--%s=%s: %s", wrong.GetFlag().Name, wrong.GetValue(), needed)
}

// worded is an error of a command for people.
func worded(err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		return errors.New("there is no option " + dashes + unknown.GetSpecifiedName())
	}
	return err
}

// noArguments is for commands that take options only.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("'%s': no argument is expected", args[0])
}

// oneArgument is for commands that take one; what says which.
func oneArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch len(args) {
		case 1:
			return nil
		case 0:
			return errors.New(what + " is missing")
		}
		return fmt.Errorf("'%s': one argument is enough: %s", args[1], what)
	}
}

// commandNames are the names of our own commands, as the first word.
func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// execute runs one of our commands and returns the exit code.
func execute(ctx context.Context, env Env) int {
	out := &stickyWriter{w: env.Stdout}
	env.Stdout = out
	root := newRoot(env)
	root.SetArgs(env.Args[1:])
	cmd, err := root.ExecuteContextC(ctx)
	code := sysbench.ExitOK
	var said exitCode
	switch {
	case errors.As(err, &said):
		code = int(said)
	case err != nil && out.err == nil: // else said below
		fmt.Fprintf(env.Stderr, "%s: %s\n", cmd.CommandPath(), worded(err))
		code = codeOf(err)
	}
	if out.err != nil {
		fmt.Fprintf(env.Stderr, "%s: write standard output: %s\n", cmd.CommandPath(), out.err)
		return sysbench.ExitOutput
	}
	return code
}

// unwritable is why a file of results cannot be written, found out before there is anything to write.
type unwritable struct{ error }

// Unwrap gives the cause.
func (u unwritable) Unwrap() error { return u.error }

// probe finds out whether the file that an option names can be written.
func probe(option, path string) error {
	if err := report.Probe(path); err != nil {
		return unwritable{fmt.Errorf("--%s=%s: %w", option, path, err)}
	}
	return nil
}

// codeOf is the exit code of an error that nobody gave one.
func codeOf(err error) int {
	var file unwritable
	if errors.As(err, &file) {
		return sysbench.ExitOutput
	}
	return sysbench.ExitFailure
}

// stickyWriter keeps the first error: output that was not written must not end in exit code 0.
type stickyWriter struct {
	w   io.Writer
	err error
}

// Unwrap is what is written to, for those who ask whether it is a terminal.
func (s *stickyWriter) Unwrap() io.Writer { return s.w }

func (s *stickyWriter) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}

// program is our name in help.
const program = "deltabench"

const rootLong = `Measure what a change does to a MySQL server's performance.

The command line is sysbench's: deltabench [options]... TEST COMMAND; see 'deltabench --help' for its options and
'deltabench TEST help' for those of a test. The commands below are deltabench's own.`
