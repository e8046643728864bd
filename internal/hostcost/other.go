//go:build !linux

package hostcost

import (
	"fmt"
	"os"
	"runtime"
)

func readProcess(int) processTimes            { return processTimes{} }
func readSwitches(int) map[int]threadSwitches { return nil }
func readMachine() machineTimes               { return machineTimes{} }
func private(os.FileInfo) bool                { return false }

// AllowedCPUs is how many CPUs a process may use. 0: not known.
func AllowedCPUs(int) float64 { return 0 }

// StartToken names a process for good; here the system is not asked.
func StartToken(pid int) (string, error) {
	return "", fmt.Errorf("process %d: start times are not known on %s", pid, runtime.GOOS)
}

// WithCPUs runs f; a list of CPUs is not supported here.
func WithCPUs(list string, f func() error) error {
	if err := CheckCPUs(list); err != nil {
		return err
	}
	return f()
}

// CheckCPUs says what is wrong with a list; nil for an empty one.
func CheckCPUs(list string) error {
	if list == "" {
		return nil
	}
	return fmt.Errorf("CPUs %s: sets of CPUs are not supported on %s", list, runtime.GOOS)
}
