package sysbench

import (
	"slices"

	"deltabench/internal/option"
	"deltabench/internal/workload"
)

// What completion, the man page and other descriptions of our face are made of.

// VersionLine is what --version prints.
func (f Face) VersionLine() string { return f.versionLine() }

// OptionGroup is a section of the help of all options.
type OptionGroup struct {
	Title string
	Specs []option.Spec
}

// OptionGroups are all options that are not a test's, as our face has them.
func OptionGroups() []OptionGroup {
	t := tables(FaceDeltabench)
	return []OptionGroup{
		{"General options", t.general},
		{"Pseudo-random numbers", t.random},
		{"Log options", slices.Concat(t.log, t.logMore)},
		{"Database options", t.db},
		{"MySQL options", t.mysql},
		{"PostgreSQL options", t.pgsql},
		{"Deltabench options", t.ours},
	}
}

// Tests are the tests of this program in the order of help, without those that it only knows by name.
func Tests() []workload.Test {
	return slices.DeleteFunc(bundledTests(), func(t workload.Test) bool { return slices.Contains(missing, t.Name()) })
}

// TestNamed returns a test, or nil.
func TestNamed(name string) workload.Test {
	for _, t := range Tests() {
		if t.Name() == name {
			return t
		}
	}
	return nil
}

// TestOptions are the options of a test, those of sysbench's development branch included.
func TestOptions(t workload.Test) []option.Spec {
	specs := slices.Clone(t.Options())
	for i := range specs {
		specs[i].Hidden = false
	}
	return specs
}

// TestCommands are the names of the commands of a test.
func TestCommands(t workload.Test) []string { return commandsOf(t) }

// TestSummary says in a few words what a test is.
func TestSummary(t workload.Test) string {
	for _, b := range builtins {
		if b.name == t.Name() {
			return b.desc
		}
	}
	return "SQL test"
}

// ExitCode is an exit code and when it is used.
type ExitCode struct {
	Code int
	When string
}

// ExitCodes are those of this package; docs/exit-codes.md tells more of each.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{ExitOK, "The command did its work."},
		{ExitFailure, "Wrong usage, an invalid value, a failed command or connection, a fatal error in a run."},
		{ExitForced, "Running events were cut short after the time limit, or threads did not initialise in time."},
		{ExitUnsupported, "What was asked for is not in this version; one line says what."},
		{ExitOutput, "Standard output or the file of a report could not be written."},
		{ExitPreflight, "A limit of the server or this machine would make the run fail; nothing was started."},
		{ExitStore, "The store of runs cannot be used, or is damaged."},
		{ExitWorse, "compare --fail-on=worse: the candidate is worse."},
		{ExitInterrupted, "The run was ended by Ctrl-C, SIGTERM or SIGHUP; the report of what was measured until then was printed."},
	}
}
