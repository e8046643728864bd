package conduct

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deltabench/internal/admin"
	"deltabench/internal/mariadbtest"
)

func TestLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	release, err := lock(dir)
	if err != nil || !locked(dir) {
		t.Fatalf("%v", err)
	}
	if _, err := lock(dir); err == nil || !strings.Contains(err.Error(), "another process (pid ") {
		t.Errorf("two have the lock: %v", err)
	}
	release()
	if locked(dir) {
		t.Error("locked by nobody")
	}
	if release, err = lock(dir); err != nil {
		t.Fatal(err)
	}
	release()
}

// What settings were is never lost: a memory that is there is put back before another one is made.
func TestMemoryIsKept(t *testing.T) {
	s := mariadbtest.Start(t)
	ctx := t.Context()
	db, err := admin.Open(ctx, admin.Address{User: "root", Socket: s.Socket})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	path := filepath.Join(t.TempDir(), "settings.json")
	capacity := func() string {
		t.Helper()
		v, err := db.Variables(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return v["innodb_io_capacity"]
	}
	before := capacity()
	for range 2 { // the second time as after a kill: the first was not put back
		if err := remember(ctx, db, path); err != nil {
			t.Fatal(err)
		}
		if got := capacity(); got != before {
			t.Fatalf("%s, was %s", got, before)
		}
		if err := db.SetGlobals(ctx, []admin.Option{{Name: "innodb_io_capacity", Value: "333"}}); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := putBack(ctx, db, path); err != nil || len(done) != 1 || capacity() != before {
		t.Errorf("%v, %v: %s, was %s", done, err, capacity(), before)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the memory is still there")
	}
	// Without the server nothing is changed, and nothing forgotten.
	if err := remember(ctx, db, path); err != nil {
		t.Fatal(err)
	}
	s.Kill(t)
	err = remember(ctx, db, path)
	if err == nil || !strings.Contains(err.Error(), "not put back") {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error("the memory is gone")
	}
}
