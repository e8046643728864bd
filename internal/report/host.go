package report

import "runtime"

// host describes this machine.
func host() Host {
	h := Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), GoMaxProcs: runtime.GOMAXPROCS(0)}
	h.read("")
	return h
}

func goVersion() string { return runtime.Version() }
