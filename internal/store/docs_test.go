package store

import (
	"database/sql/driver"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modernc.org/sqlite"

	"deltabench/internal/evidence"
	"deltabench/internal/study"
)

func manual(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/store.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// TestSchemaIsDocumented compares the tables and columns of a store with those of docs/store.md.
func TestSchemaIsDocumented(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	documented := map[string][]string{}
	_, text, _ := strings.Cut(manual(t), "\n## Schema\n")
	name := regexp.MustCompile("`([a-z0-9_]+)`")
	for section := range strings.SplitSeq(text, "\n### ") {
		table, rest, _ := strings.Cut(section, "\n")
		for line := range strings.Lines(rest) {
			if cells := strings.Split(line, "|"); len(cells) > 2 {
				for _, m := range name.FindAllStringSubmatch(cells[1], -1) {
					documented[table] = append(documented[table], m[1])
				}
			}
		}
	}
	tables := tablesOf(t, s)
	for _, table := range tables {
		columns, err := s.texts(t.Context(), "SELECT name FROM pragma_table_info('"+table+"')")
		if err != nil {
			t.Fatal(err)
		}
		got := documented[table]
		slices.Sort(columns)
		slices.Sort(got)
		if !slices.Equal(columns, got) {
			t.Errorf("docs/store.md has of %s\n%v, there are\n%v", table, got, columns)
		}
	}
	if len(documented) != len(tables) {
		t.Errorf("docs/store.md has %d tables, there are %v", len(documented), tables)
	}
	if want := fmt.Sprintf("`PRAGMA user_version` is %d; `PRAGMA application_id` is 0x%x.", Version, applicationID); !strings.Contains(text, want) {
		t.Errorf("docs/store.md does not say: %s", want)
	}
}

// TestDocumentedQueries executes the examples of docs/store.md on a store that has something for each.
func TestDocumentedQueries(t *testing.T) {
	t.Parallel()
	// The function of the sqlite3 shell that one of them uses.
	err := sqlite.RegisterDeterministicScalarFunction("sqlar_uncompress", 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		text, err := inflate(args[0].([]byte))
		if err == nil && int64(len(text)) > args[1].(int64) {
			err = fmt.Errorf("%d bytes, not %d", len(text), args[1])
		}
		return string(text), err
	})
	if err != nil {
		t.Fatal(err)
	}
	s := fresh(t)
	for i := range 4 {
		variables := evidence.Snapshot{"max_connections": fmt.Sprint(100 + i), "port": "3306"}
		record(t, s, Recorded{
			Document: document(i), Tags: map[string]string{"scenario": fmt.Sprint("s", i%2)},
			Study:     &Place{Study: "study", Scenario: fmt.Sprint("s", i%2), Round: 1 + i/2, Position: 1 + i%2, Target: "t", Workload: "w", Threads: 8},
			Evidence:  &evidence.Run{Server: &evidence.Process{UserSeconds: 1}, Status: map[string]float64{"handler_read_key": 12}, Variables: HashSnapshot(variables)},
			Snapshots: map[string]evidence.Snapshot{HashSnapshot(variables): variables},
		})
	}
	if err := s.RecordFailure(t.Context(), 1, study.Key{Target: "t", Scenario: "s1", Workload: "w", Threads: 8, Round: 3}, 1, "no server"); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(manual(t), -1)
	if len(blocks) < 10 {
		t.Fatalf("%d examples", len(blocks))
	}
	for _, block := range blocks {
		rows, err := s.db.Query(block[1])
		if err != nil {
			t.Errorf("%s%v", block[1], err)
			continue
		}
		n := 0
		for rows.Next() {
			n++
			columns, _ := rows.Columns()
			values, to := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				to[i] = &values[i]
			}
			if err := rows.Scan(to...); err != nil {
				t.Errorf("%s%v", block[1], err)
			}
			for i, v := range values {
				if v == nil && columns[i] != "p99_ms" { // nothing ended in the second interval
					t.Errorf("%s%s is NULL", block[1], columns[i])
				}
			}
		}
		if err := rows.Err(); err != nil || n == 0 {
			t.Errorf("%sgives %d rows, %v", block[1], n, err)
		}
		rows.Close()
	}
}
