package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/sqldb/mysql"
	"deltabench/internal/textlog"
)

func TestMain(m *testing.M) { os.Exit(mariadbtest.Main(m)) }

// rowOf is a small row: id, and eight digits of its source.
func rowOf(dst []byte, f Format, src *random.Source, id int64) []byte {
	before, between, after := "", "\t", "\n"
	if f == Values {
		before, between, after = "(", ",'", "')"
	}
	dst = append(dst, before...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, between...)
	dst = random.AppendTemplate(dst, src, "########")
	return append(dst, after...)
}

// planOf describes tables of some rows.
func planOf(tables int, rows int64) Plan {
	p := Plan{Columns: "id, s", Whole: "CHAR_LENGTH(s) = 8", MaxRow: 40, AppendRow: rowOf, DiskRow: 40, LeastRow: 20}
	for i := range tables {
		name := fmt.Sprintf("t%d", i+1)
		p.Tables = append(p.Tables, Table{
			Name: name, Create: "CREATE TABLE " + name + " (id INT PRIMARY KEY AUTO_INCREMENT, s CHAR(8) NOT NULL) ENGINE=InnoDB",
			Rows: rows, IndexName: "i", Index: "CREATE INDEX i ON " + name + "(s)",
		})
	}
	return p
}

// stage is a database to load into.
type stage struct {
	cfg Config
	log *bytes.Buffer
	db  string
}

func newStage(t *testing.T, tables int, rows int64) *stage {
	t.Helper()
	s := mariadbtest.Shared(t)
	st := &stage{log: &bytes.Buffer{}, db: s.NewDatabase(t)}
	d, err := mysql.New(t.Context(), mysql.Config{Hosts: []string{s.Host}, Ports: []int{s.Port}, User: "sbtest", Password: "pw", DB: st.db, LocalInfile: true})
	if err != nil {
		t.Fatal(err)
	}
	st.cfg = Config{Driver: d, Log: textlog.New(st.log, textlog.Notice), Plan: planOf(tables, rows), Threads: 2, Method: Auto, Seed: 5}
	return st
}

func (st *stage) load(t *testing.T) Report {
	t.Helper()
	r, err := Run(t.Context(), st.cfg)
	if err != nil {
		t.Fatalf("%v\n%s", err, st.log)
	}
	return r
}

func TestRunLoadsEveryRowOnce(t *testing.T) {
	for _, c := range []struct {
		tables  int
		rows    int64
		threads int
		method  Method
	}{
		{1, 0, 1, Auto}, {1, 1, 8, Auto}, {3, BlockRows, 2, Insert}, {1, BlockRows + 1, 4, Infile}, {2, 7*BlockRows - 1, 5, Auto},
	} {
		st := newStage(t, c.tables, c.rows)
		st.cfg.Threads, st.cfg.Method = c.threads, c.method
		r := st.load(t)
		if r.Rows != int64(c.tables)*c.rows || r.Kept != 0 || r.Tables != c.tables || r.Threads > max(c.threads, leastConnections) || !r.Started {
			t.Errorf("%+v: got %+v", c, r)
		}
		for i := range c.tables {
			var n, sum, next int64
			db := mariadbtest.Shared(t).DB(t)
			q := fmt.Sprintf("SELECT COUNT(*), COALESCE(SUM(id), 0) FROM %s.t%d FORCE INDEX (i) WHERE s >= ''", st.db, i+1)
			if err := db.QueryRow(q).Scan(&n, &sum); err != nil || n != c.rows || sum != c.rows*(c.rows+1)/2 {
				t.Errorf("%+v: %d rows, sum of ids %d, %v", c, n, sum, err)
			}
			err := db.QueryRow("SELECT auto_increment FROM information_schema.tables WHERE table_schema = ? AND table_name = ?", st.db, fmt.Sprintf("t%d", i+1)).Scan(&next)
			if err != nil || next != c.rows+1 {
				t.Errorf("%+v: the next id is %d, %v, want %d", c, next, err, c.rows+1)
			}
		}
	}
}

func TestInterrupt(t *testing.T) {
	st := newStage(t, 1, 500_000)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := Run(ctx, st.cfg); !errors.Is(err, sqldb.ErrInterrupted) {
		t.Errorf("got %v, want the interruption", err)
	}
}

func TestDiskRoom(t *testing.T) {
	for _, c := range []struct {
		free    uint64
		refused bool
		warned  bool
	}{{19_999, true, false}, {20_000, false, true}, {44_000, false, true}, {45_000, false, false}} {
		st := newStage(t, 1, 1000) // at least 20,000 bytes, likely 40,000
		st.cfg.free = func(dir string) (uint64, bool) {
			if dir == "" {
				t.Error("no directory is asked for")
			}
			return c.free, true
		}
		_, err := Run(t.Context(), st.cfg)
		var r *Refusal
		if errors.As(err, &r) != c.refused || strings.Contains(st.log.String(), "WARNING: The server's disk may become full") != c.warned {
			t.Errorf("%d bytes free: error %v, log %q", c.free, err, st.log)
		}
	}
}

func TestFreeSpace(t *testing.T) {
	if n, known := freeSpace(t.TempDir()); !known || n == 0 {
		t.Errorf("free space of a directory: %d, known %v", n, known)
	}
	if _, known := freeSpace("/nonexistent"); known {
		t.Error("the free space of no directory is known")
	}
}

// Rows that another load adds at the same time are not counted twice.
func TestAnotherLoad(t *testing.T) {
	st := newStage(t, 1, 100)
	st.cfg.Plan.AppendRow = func(dst []byte, f Format, src *random.Source, id int64) []byte {
		return rowOf(dst, f, src, min(id, 99))
	}
	if _, err := Run(t.Context(), st.cfg); err == nil || !strings.Contains(err.Error(), "rows 1 to 100 of t1: the server has added 99 rows of 100") {
		t.Errorf("got %v", err)
	}
}

func TestProgressOnTerminal(t *testing.T) {
	st := newStage(t, 1, 20000)
	var screen bytes.Buffer
	st.cfg.Terminal = &screen
	st.load(t)
	if st.log.Len() > 0 {
		t.Errorf("lines besides the line of progress: %q", st.log)
	}
	if s := screen.String(); !strings.HasPrefix(s, eraseLine+"Loading ") || !strings.HasSuffix(s, eraseLine) || strings.Contains(s, "\n") {
		t.Errorf("the terminal got %q", s)
	}
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		rows, total int64
		elapsed     time.Duration
		want        string
	}{
		{0, 100, 0, "Loading t1: 0 of 100 rows (0 %)"},
		{0, 0, time.Second, "Loading t1: 0 of 0 rows"},
		{250, 1000, 10 * time.Second, "Loading t1: 250 of 1000 rows (25 %), 25 rows/s, 0:30 left"},
		{100, 1_000_000, time.Second, "Loading t1: 100 of 1000000 rows (0 %), 100 rows/s, 2:46:39 left"},
		{1000, 1000, time.Second, "Loading t1: 1000 of 1000 rows (100 %)"},
	} {
		p := startProgress(nil, c.total, 1)
		p.table("t1")
		p.add(c.rows)
		if got := p.line(c.elapsed); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		p.stop()
	}
}

// Spans are dealt once each; a worker keeps to its table, and helps others when there is none left.
func TestSchedule(t *testing.T) {
	for _, c := range []struct{ tables, threads int }{{1, 1}, {1, 4}, {4, 2}, {2, 5}, {7, 3}} {
		var tables []*table
		for i := range c.tables {
			tables = append(tables, &table{index: i, missing: []span{{1, 12*BlockRows + 5}}})
		}
		s := newSchedule(tables, c.threads, maxSpan)
		current := make([]*table, c.threads)
		seen := map[string]int64{}
		var total int64
		busiest := 0
		for active := true; active; {
			active = false
			for w := range current {
				j, ok := s.next(current[w])
				if !ok {
					continue
				}
				active = true
				current[w] = j.t
				key := fmt.Sprint(j.t.index, " ", j.first)
				if seen[key]++; seen[key] > 1 || (j.first-1)%BlockRows != 0 || j.rows() > maxSpan*BlockRows {
					t.Errorf("%+v: span %+v dealt %d times", c, j.span, seen[key])
				}
				if j.create != (j.first == 1) {
					t.Errorf("%+v: span %+v, create %v", c, j.span, j.create)
				}
				total += j.rows()
				s.done(j.t)
			}
			on := map[*table]int{}
			for _, cur := range current {
				on[cur]++
				busiest = max(busiest, on[cur])
			}
		}
		if want := int64(c.tables) * (12*BlockRows + 5); total != want {
			t.Errorf("%+v: %d rows dealt, want %d", c, total, want)
		}
		if c.tables == 1 && busiest != c.threads {
			t.Errorf("%+v: %d workers on the table", c, busiest)
		}
	}
}

func TestStatementSize(t *testing.T) {
	for limit, want := range map[int64]int{0: statement, 16 << 20: statement, 256 << 10: 224 << 10, 64 << 10: 56 << 10, 1024: 1024} {
		if got := statementSize(limit); got != want {
			t.Errorf("max_allowed_packet %d: got %d, want %d", limit, got, want)
		}
	}
}

// The sequence is at the same place whether rows before it were wanted or not.
func TestSequence(t *testing.T) {
	plan := planOf(3, 25_000)
	src := random.Derive(1)
	var want []byte
	for id := int64(1); id <= 20_001; id++ {
		want = rowOf(want[:0], Lines, &src, id)
	}
	again := random.Derive(1)
	s := &sequence{plan: &plan, src: &again, id: 1}
	if got := rowOf(nil, Lines, s.at(&table{index: 0}, 20_001), 20_001); !bytes.Equal(got, want) {
		t.Errorf("row 20001: got %s, want %s", got, want)
	}
	s.id++
	skipped := *s.at(&table{index: 2}, 1)
	straight := random.Derive(1)
	for range 2 {
		for id := int64(1); id <= 25_000; id++ {
			rowOf(nil, Lines, &straight, id)
		}
	}
	if skipped != straight {
		t.Error("the third table begins elsewhere")
	}
}
