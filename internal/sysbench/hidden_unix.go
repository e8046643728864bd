//go:build linux || darwin

package sysbench

import (
	"io"

	"golang.org/x/sys/unix"
)

// readHidden reads a line from a terminal without echo. It returns io.EOF at the end of input (Ctrl-D) without a line;
// term.ReadPassword goes on reading then. The terminal is afterwards as it was.
func readHidden(fd int) ([]byte, error) {
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ICANON | unix.ISIG
	hidden.Iflag |= unix.ICRNL
	if err := unix.IoctlSetTermios(fd, setTermios, &hidden); err != nil {
		return nil, err
	}
	defer func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }() // it could be set a moment ago
	var line []byte
	for b := make([]byte, 1); ; {
		switch n, err := unix.Read(fd, b); {
		case err == unix.EINTR:
		case err != nil:
			return nil, err
		case n == 0 && len(line) == 0:
			return nil, io.EOF
		case n == 0 || b[0] == '\n':
			return line, nil
		default:
			line = append(line, b[0])
		}
	}
}
