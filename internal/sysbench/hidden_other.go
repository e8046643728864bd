//go:build !linux && !darwin

package sysbench

import "golang.org/x/term"

// readHidden reads a line from a terminal without echo.
func readHidden(fd int) ([]byte, error) { return term.ReadPassword(fd) }
