package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// oldStore makes a store of version 1 as the first deltabench would have, with runs that have warnings.
func oldStore(t *testing.T, runs int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runs.db")
	if err := create(path); err != nil {
		t.Fatal(err)
	}
	s := &Store{path: path}
	var err error
	if s.db, err = connect(t.Context(), path, "rw", ""); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.change(t.Context(), func(tx *sql.Tx) error {
		if _, err := tx.Exec(schema1 + fmt.Sprintf("; PRAGMA application_id = %d; PRAGMA user_version = 1", applicationID)); err != nil {
			return err
		}
		for i := range runs {
			d := document(i)
			content, err := deflate([]byte(encoded(t, d)))
			if err != nil {
				return err
			}
			hash, err := hashOf([]byte(encoded(t, d)))
			if err != nil {
				return err
			}
			started, err := startOf(d)
			if err != nil {
				return err
			}
			r := columns("uuid", fmt.Sprint("u", i), "hash", hash, "recorded_at", "2026-01-01T00:00:00.000000000Z", "started_at", started)
			addSummary(&r, d)
			if _, err := tx.Exec(r.insert("runs"), r.values...); err != nil {
				return err
			}
			if _, err := tx.Exec("INSERT INTO documents (run_id, bytes, content) VALUES (?, ?, ?)", i+1, len(encoded(t, d)), content); err != nil {
				return err
			}
			f := filler{ctx: t.Context(), tx: tx, id: int64(i + 1), prepared: map[string]*sql.Stmt{}}
			derive(d, func(table string, r row) {
				if table != "warnings" {
					f.add(table, r)
				}
			})
			if f.close(); f.err != nil {
				return f.err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{ReadOnly, ReadWrite} {
		path := oldStore(t, 3)
		s, err := Open(t.Context(), path, mode)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.texts(t.Context(), "SELECT run_id || ' ' || number || ' ' || text FROM warnings")
		want := []string{"1 1 first warning", "1 2 second <warning>", "2 1 first warning", "2 2 second <warning>", "3 1 first warning", "3 2 second <warning>"}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("mode %d: warnings %q, %v, want %q", mode, got, err, want)
		}
		runs, err := s.Runs(t.Context(), Filter{})
		if err != nil || len(runs) != 3 || runs[2].UUID != "u2" {
			t.Errorf("mode %d: runs %+v, %v", mode, runs, err)
		}
		s.Close()
		// The schema is that of a new store.
		const schema = "SELECT type || name || ifnull(sql, '') FROM sqlite_schema ORDER BY name"
		s = open(t, path)
		migrated, err := s.texts(t.Context(), schema)
		if err != nil {
			t.Fatal(err)
		}
		made, err := fresh(t).texts(t.Context(), schema)
		if err != nil || !slices.Equal(migrated, made) {
			t.Errorf("mode %d: the schema is\n%s\nthat of a new store\n%s", mode, migrated, made)
		}
		if v, err := s.texts(t.Context(), "SELECT user_version FROM pragma_user_version"); err != nil || v[0] != fmt.Sprint(Version) {
			t.Errorf("mode %d: version %v, %v", mode, v, err)
		}
		if _, faults, err := s.Verify(t.Context()); err != nil || faults != nil {
			t.Errorf("mode %d: %v, %v", mode, faults, err)
		}
	}
	if len(migrations) != Version {
		t.Errorf("%d migrations lead to version %d", len(migrations), Version)
	}
}

// TestMigrateStudies is a store of version 2 with places of before there were targets.
func TestMigrateStudies(t *testing.T) {
	t.Parallel()
	path := oldStore(t, 2)
	db, err := connect(t.Context(), path, "rw", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(schema2 + `; PRAGMA user_version = 2;
		INSERT INTO studies (id, name, question, created_at) VALUES (4, 'pool', 'why?', '2026-01-01T00:00:00.000000000Z');
		UPDATE runs SET study_id = 4, scenario = 's' || id, round = 1, position = id;
		INSERT INTO warnings (run_id, number, text) VALUES (1, 1, 'of version 2')`)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if x := found(t, s, "pool"); x.ID != 4 || x.Title != "pool" || x.Question != "why?" || x.State != "" || x.Runs != 2 || len(x.Plan) > 0 {
		t.Errorf("%+v", x)
	}
	runs, err := s.Runs(t.Context(), Filter{Study: "pool"})
	if err != nil || len(runs) != 2 || *runs[1].Study != (Place{Study: "pool", Question: "why?", Scenario: "s2", Round: 1, Position: 2}) {
		t.Errorf("%+v, %v", runs, err)
	}
	if got, err := s.texts(t.Context(), "SELECT text FROM warnings"); err != nil || !slices.Equal(got, []string{"of version 2"}) {
		t.Errorf("%q, %v", got, err)
	}
	if list, err := s.StudyRuns(t.Context(), 4); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	addRound(t, s, found(t, s, "pool"), 1) // new ones go beside them
	if x := found(t, s, "pool"); x.Runs != 3 {
		t.Errorf("%+v", x)
	}
	if n := strings.Count(exported(t, s, Filter{}), "\n"); n != 3 {
		t.Errorf("%d lines", n)
	}
}

// TestMigrateAtOnce has several open an old store at the same time.
func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	path := oldStore(t, 2)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := Open(context.Background(), path, ReadWrite)
			if err != nil {
				t.Error(err)
				return
			}
			s.Close()
		})
	}
	wg.Wait()
	if n, err := open(t, path).texts(t.Context(), "SELECT count(*) FROM warnings"); err != nil || n[0] != "4" {
		t.Errorf("%v warnings, %v", n, err)
	}
}

// TestMigrationFails is a document that cannot be read: the store stays as it is.
func TestMigrationFails(t *testing.T) {
	t.Parallel()
	path := oldStore(t, 2)
	db, err := connect(t.Context(), path, "rw", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE documents SET content = x'00' WHERE run_id = 2"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, ReadWrite); err == nil || !strings.Contains(err.Error(), "store "+path+": its version 1 cannot be brought up to date: document of run 2: ") {
		t.Errorf("error %v", err)
	}
	version, tables := 0, 0
	err = db.QueryRow("SELECT user_version, (SELECT count(*) FROM sqlite_schema WHERE name = 'warnings') FROM pragma_user_version").Scan(&version, &tables)
	if err != nil || version != 1 || tables != 0 {
		t.Errorf("version %d, %d new tables, %v", version, tables, err)
	}
}

func TestOtherVersions(t *testing.T) {
	t.Parallel()
	set := func(statements string) string {
		path := filepath.Join(t.TempDir(), "runs.db")
		if err := create(path); err != nil {
			t.Fatal(err)
		}
		db, err := connect(t.Context(), path, "rw", "")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(statements); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := set(fmt.Sprintf("CREATE TABLE future (x); PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, Version+1))
	foreign := set("CREATE TABLE other (x)")
	for _, mode := range []Mode{ReadOnly, ReadWrite} {
		for path, want := range map[string]string{
			newer:   fmt.Sprintf("store %s: it has version %d, and this deltabench knows versions up to %d (use the newer deltabench, or ", newer, Version+1, Version),
			foreign: fmt.Sprintf("store %s: the file is a database, but no store of deltabench (", foreign),
		} {
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var p *Problem
			if _, err := Open(t.Context(), path, mode); !errors.As(err, &p) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("mode %d: %v, want %s", mode, err, want)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("mode %d: %s was changed, %v", mode, path, err)
			}
		}
	}
}
