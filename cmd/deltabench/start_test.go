package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/nullserver"
	"deltabench/internal/wire"
)

// deaf returns the address of a server whose greeting arrives, and that hears nothing of what it is told.
func deaf(t *testing.T, o nullserver.Options) net.Addr {
	t.Helper()
	s, _ := listen(t, o)
	return accept(t, func(c net.Conn) {
		up, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer up.Close()
		_, _ = io.Copy(c, up) // until one of them goes
	})
}

// accept listens until the end of the test.
func accept(t *testing.T, serve func(net.Conn)) net.Addr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			go serve(c)
		}
	}()
	return l.Addr()
}

// full returns the path of a socket at which no connection is accepted any more.
func full(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	for {
		c, err := net.DialTimeout("unix", path, 100*time.Millisecond)
		if err != nil {
			return path
		}
		t.Cleanup(func() { c.Close() })
	}
}

// TestStepOfThreadsThatAreNotReady lets the start of threads hang at each step.
func TestStepOfThreadsThatAreNotReady(t *testing.T) {
	t.Parallel()
	certificates, err := mariadbtest.NewCertificates(filepath.Join(t.TempDir(), "tls"))
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.LoadX509KeyPair(certificates.ServerCert, certificates.ServerKey)
	if err != nil {
		t.Fatal(err)
	}
	address := func(a net.Addr) []string {
		host, port, _ := net.SplitHostPort(a.String())
		return []string{"--mysql-host=" + host, "--mysql-port=" + port}
	}
	slow, _ := listen(t, nullserver.Options{Fault: func(q *nullserver.Query) nullserver.Fault {
		if q.Command == wire.ComStmtPrepare {
			return nullserver.Fault{Kind: nullserver.FaultSilence}
		}
		return nullserver.Fault{}
	}})
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"connect", []string{"--mysql-socket=" + full(t)}, "3 at connect"},
		{"greeting", address(accept(t, func(net.Conn) {})), "3 at login (no greeting from the server)"},
		{"TLS", append(address(deaf(t, nullserver.Options{TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}})), "--mysql-ssl=required"), "3 at TLS"},
		{"login", address(deaf(t, nullserver.Options{})), "3 at login"},
		{"prepare", address(slow.Addr()), "3 at prepare"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"oltp_point_select", "run", "--threads=3", "--thread-init-timeout=1"}, tc.args...)
			want := fmt.Sprintf("FATAL: Worker threads failed to initialize within 1 seconds!\nNot ready: 3 of 3 threads: %s\nHint: ", tc.want)
			var ours []*process
			for _, engine := range []string{"loop", "goroutine"} {
				ours = append(ours, start(t, time.Minute, "deltabench", append(args[:len(args):len(args)], "--engine="+engine)...))
			}
			if tc.name != "TLS" { // which is another there
				if o := run(t, "sysbench", args...); o.code != 2 || !strings.HasSuffix(o.stdout, "FATAL: Worker threads failed to initialize within 1 seconds!\n") {
					t.Errorf("as sysbench: want its line and nothing else: %v", o)
				}
			}
			for _, p := range ours {
				if o := p.wait(t); o.code != 2 || !strings.Contains(o.stdout, want) {
					t.Errorf("want exit code 2 and %q: %v", want, o)
				}
			}
		})
	}
}
