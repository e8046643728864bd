//go:build unix

package sysbench

import "syscall"

// fileLimit is how many files this process may have open. The Go runtime has raised it as far as it could.
func fileLimit() (n uint64, known bool) {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return 0, false
	}
	return uint64(r.Cur), true
}
