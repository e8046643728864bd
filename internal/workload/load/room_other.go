//go:build !linux && !darwin

package load

// freeSpace knows nothing here.
func freeSpace(string) (bytes uint64, known bool) { return 0, false }
