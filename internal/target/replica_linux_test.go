package target

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"deltabench/internal/admin"
	"deltabench/internal/study"
)

// What is written arrives at the replica, after a restart and after a restore too.
func TestReplica(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{Async, SemiSync} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s, ctx := managed(t), t.Context()
			if err := s.AddReplica(ctx, mode); err != nil {
				t.Fatal(err)
			}
			// Without a replica a semi-synchronous server waits this long before it goes on.
			var options []study.Option
			if mode == SemiSync {
				options = []study.Option{{Name: "rpl_semi_sync_master_timeout", Value: "200"}}
			}
			for i, between := range []func() error{
				func() error { return nil },
				func() error { return s.Stop(ctx) },
				func() error {
					if err := s.Stop(ctx); err != nil {
						return err
					}
					return s.Restore(ctx)
				},
			} {
				if err := between(); err != nil {
					t.Fatal(err)
				}
				if err := s.Start(ctx, options); err != nil {
					t.Fatal(err)
				}
				query(t, s, "CREATE TABLE sbtest.t"+string(rune('0'+i))+" (id INT)")
				a, err := admin.Open(ctx, s.second.Address())
				if err != nil {
					t.Fatal(err)
				}
				for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
					tables, err := a.Tables(ctx, "sbtest")
					want := []int{1, 2, 1}[i]
					if err == nil && len(tables) == want {
						break
					}
					if time.Now().After(end) {
						t.Fatalf("start %d: %v, %v", i, tables, err)
					}
				}
				a.Close()
			}
			// A replica that is behind has caught up when Start returns.
			if err := s.second.Stop(ctx); err != nil {
				t.Fatal(err)
			}
			query(t, s, "CREATE TABLE sbtest.late (id INT)", "INSERT INTO sbtest.late VALUES (1), (2)")
			if err := s.Stop(ctx); err != nil {
				t.Fatal(err)
			}
			s.port = 0 // somebody has taken it: the server gets another one
			if err := s.Start(ctx, options); err != nil {
				t.Fatal(err)
			}
			a, err := admin.Open(ctx, s.second.Address())
			if err != nil {
				t.Fatal(err)
			}
			if n, err := a.Rows(ctx, "sbtest", []string{"late"}); err != nil || n["late"] != 2 {
				t.Errorf("after a start the replica has %v, %v", n, err)
			}
			a.Close()
			// One that dies is told as the server is.
			if err := syscall.Kill(s.second.PID(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
				why, ok := s.Crashed()
				if ok && strings.HasPrefix(why, "replica: the server ended by itself (signal: killed)") {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("%q, %v", why, ok)
				}
			}
			if err := s.Stop(ctx); err != nil {
				t.Fatal(err)
			}
			if s.second.PID() != 0 {
				t.Error("the replica runs on")
			}
		})
	}
}
