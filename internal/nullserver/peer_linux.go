package nullserver

import (
	"net"
	"os/user"
	"strconv"

	"golang.org/x/sys/unix"
)

// peerUser is the name of the user at the other end of a Unix socket, empty when it cannot be known.
func peerUser(c net.Conn) string {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return ""
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return ""
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil || credErr != nil {
		return ""
	}
	who, err := user.LookupId(strconv.Itoa(int(cred.Uid)))
	if err != nil {
		return ""
	}
	return who.Username
}
