package sysbench

// Exit codes. 0 to 2 are sysbench's; ours start at 3. docs/exit-codes.md is the list for users, held to this
// one by a test.
const (
	ExitOK          = 0   // success; also what sysbench calls success, such as a failed parallel prepare
	ExitFailure     = 1   // usage errors, invalid values, failed commands, fatal errors in a run
	ExitForced      = 2   // forced shutdown; threads that did not initialise in time
	ExitUnsupported = 3   // something that this version cannot do yet: a driver, a test
	ExitOutput      = 4   // standard output or the file of a report could not be written
	ExitPreflight   = 5   // the pre-flight check found that the run would fail; nothing was started
	ExitStore       = 6   // the store of runs cannot be used
	ExitWorse       = 7   // compare --fail-on=worse: the candidate is worse
	ExitInterrupted = 130 // ended by Ctrl-C, SIGTERM or SIGHUP, after the report of what was measured
)
