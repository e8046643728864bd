package sysbench

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
)

// TestNameServerWithoutAnswer must not run beside tests that look names up: it replaces the resolver of the process.
func TestNameServerWithoutAnswer(t *testing.T) {
	old := net.DefaultResolver
	defer func() { net.DefaultResolver = old }()
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	var out, errs bytes.Buffer
	code := Main(t.Context(), Env{
		Args:   []string{"deltabench", "oltp_point_select", "run", "--mysql-host=slow.invalid", "--thread-init-timeout=1"},
		Stdin:  strings.NewReader(""),
		Stdout: &out, Stderr: &errs, Face: FaceDeltabench,
	})
	const want = "FATAL: Worker threads failed to initialize within 1 seconds! (all of them at resolve: "
	if code != ExitForced || !strings.Contains(out.String(), want) {
		t.Errorf("got exit code %d and %s%s, want %d and %q", code, &out, &errs, ExitForced, want)
	}
}
