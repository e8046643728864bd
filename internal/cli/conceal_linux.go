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
		if start, ok := sysbench.SecretPart(arg); ok {
			memory := unsafe.Slice(unsafe.StringData(arg), len(arg))
			for j := start; j < len(memory); j++ {
				memory[j] = '*'
			}
		}
	}
	return copies
}
