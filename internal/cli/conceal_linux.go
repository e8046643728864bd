package cli

import (
	"strings"
	"unsafe"

	"deltabench/internal/sysbench"
)

// conceal returns a copy of the arguments of the process and overwrites the passwords among the original ones. On Linux
// those are the memory that everybody reads as /proc/PID/cmdline: the runtime does not copy it. args must be
// os.Args, of which nobody holds parts yet.
func conceal(args []string) []string {
	copies := make([]string, len(args))
	for i, arg := range args {
		copies[i] = strings.Clone(arg)
		if start, ok := secretIn(copies[i]); ok {
			memory := unsafe.Slice(unsafe.StringData(arg), len(arg))
			for j := start; j < len(memory); j++ {
				memory[j] = '*'
			}
		}
	}
	return copies
}

// secretIn returns where the first password in an argument starts. An argument may be a command line of its own (compare):
// then what follows the password is hidden, too, since only a shell knows where it ends.
func secretIn(arg string) (start int, ok bool) {
	if start, ok = sysbench.SecretPart(arg); ok {
		return start, true
	}
	at := 0
	for word := range strings.SplitAfterSeq(arg, " ") {
		if start, ok = sysbench.SecretPart(word); ok && at > 0 {
			return at + start, true
		}
		at += len(word)
	}
	return 0, false
}
