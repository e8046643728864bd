package target

import (
	"testing"
	"time"

	"deltabench/internal/admin"
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
				if err := s.Start(ctx, nil); err != nil {
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
			if err := s.Stop(ctx); err != nil {
				t.Fatal(err)
			}
			if s.second.PID() != 0 {
				t.Error("the replica runs on")
			}
		})
	}
}
