package preflight

import (
	"os"
	"strconv"
	"strings"
)

// LocalPorts returns how many local ports there are for connections to one address, and their range as the system writes it.
// 0 means that it is not known.
func LocalPorts() (n int, text string) {
	b, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return 0, ""
	}
	return portRange(string(b))
}

func portRange(text string) (int, string) {
	f := strings.Fields(text)
	if len(f) != 2 {
		return 0, ""
	}
	first, err1 := strconv.Atoi(f[0])
	last, err2 := strconv.Atoi(f[1])
	if err1 != nil || err2 != nil || last < first {
		return 0, ""
	}
	return last - first + 1, f[0] + " " + f[1]
}
