package nullserver

import (
	"fmt"
	"strings"
	"testing"

	"deltabench/internal/wire"
)

// Not parallel: it counts allocations.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		sql     string
		columns string // name:type, of the reply
		rows    int
		write   uint64
	}{
		{"SELECT c FROM sbtest3 WHERE id=?", "c:fe", 1, 0},
		{"SELECT c from sbtest where id=?", "c:fe", 1, 0},
		{"SELECT pad from sbtest where id=?", "pad:fe", 1, 0},
		{"SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?", "c:fe", 100, 0},
		{"SELECT c from sbtest where id between ? and ?", "c:fe", 100, 0},
		{"SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?", "SUM(k):f6", 1, 0},
		{"SELECT SUM(K) from sbtest where id between ? and ?", "SUM(K):f6", 1, 0},
		{"SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c", "c:fe", 100, 0},
		{"SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c", "c:fe", 100, 0},
		{"\n        SELECT id, k, c, pad\n          FROM sbtest1\n          WHERE k IN (?, ?, ?)\n        ", "id:3 k:3 c:fe pad:fe", 3, 0},
		{"SELECT count(k)\n          FROM sbtest1\n          WHERE k BETWEEN ? AND ? OR k BETWEEN ? AND ?", "count(k):8", 1, 0},
		{"SELECT * FROM sbtest1", "id:3 k:3 c:fe pad:fe", 100, 0},
		{"SELECT t.id AS n FROM sbtest1 t WHERE id=1", "n:3", 1, 0},
		{"SELECT 1", "1:8", 1, 0},
		{"select 'a,b', 2", "'a,b':fe 2:8", 1, 0},
		{"SELECT @@max_allowed_packet", "@@max_allowed_packet:8", 1, 0},
		{"SHOW STATUS", "'value':fe", 1, 0},
		{"SELECT AVG(id) FROM (SELECT * FROM sbtest1 FORCE KEY (PRIMARY) LIMIT 100) t", "AVG(id):f6", 1, 0},
		{"UPDATE sbtest1 SET k=k+1 WHERE id=?", "", 0, 1},
		{"DELETE FROM sbtest1 WHERE id=?", "", 0, 1},
		{"insert into sbtest1 values (1)", "", 0, 1},
		{"REPLACE INTO t VALUES (1)", "", 0, 1},
		{"BEGIN", "", 0, 0},
		{"COMMIT", "", 0, 0},
		{"CREATE TABLE t (id INT)", "", 0, 0},
		{"SET NAMES utf8", "", 0, 0},
		{"", "", 0, 0},
	} {
		r := Answers{}.Answer([]byte(tt.sql))
		var columns []string
		for _, c := range r.Columns {
			columns = append(columns, fmt.Sprintf("%s:%x", c.Name, byte(c.Type)))
		}
		if got := strings.Join(columns, " "); got != tt.columns || len(r.Rows) != tt.rows || r.OK.Affected != tt.write {
			t.Errorf("%q: columns %s, %d rows, %d affected; want %s, %d, %d", tt.sql, got, len(r.Rows), r.OK.Affected, tt.columns, tt.rows, tt.write)
		}
		for _, binary := range []bool{false, true} {
			e := encoder{}
			if err := e.reply(r, binary, true); err != nil {
				t.Errorf("%q: %v", tt.sql, err)
			}
		}
	}
	if r := (Answers{RangeRows: 7}).Answer([]byte("SELECT c FROM t WHERE id BETWEEN 1 AND 2")); len(r.Rows) != 7 || string(r.Rows[0][0]) == string(r.Rows[1][0]) {
		t.Errorf("rows %q, want 7 different ones", r.Rows)
	}
	if n := testing.AllocsPerRun(100, func() {
		Answers{}.shape([]byte("SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN 1 AND 100 ORDER BY c"))
	}); n > 0 {
		t.Errorf("%v allocations for a shape, want none", n)
	}
}

func TestParamsAndStatements(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]int{
		"SELECT ?, '?', \"?\", `?`, '\\'?', ?": 2, "": 0, "'": 0, "?": 1, "'\\": 0,
	} {
		if got := params([]byte(sql)); got != want {
			t.Errorf("params(%q) = %d, want %d", sql, got, want)
		}
	}
	for text, want := range map[string]int{"a": 1, "a;": 1, "a; ": 1, "a;b": 2, "';';b": 2, "": 1, ";": 1, ";;": 2} {
		if got := splitStatements(text); len(got) != want {
			t.Errorf("splitStatements(%q) = %q, want %d", text, got, want)
		}
	}
}

// What the shelf holds stays bounded, and what it no longer holds is still right.
func TestShelfBounded(t *testing.T) {
	t.Parallel()
	s := newShelf(Answers{})
	for i := range 2 * maxShelf {
		c := s.answer(fmt.Appendf(nil, "SELECT col%d FROM t WHERE id=1", i))
		if name := string(c.reply.Columns[0].Name); name != fmt.Sprintf("col%d", i) || len(c.packets(variantBinary)) == 0 {
			t.Fatalf("reply %d has column %q", i, name)
		}
	}
	in := strings.Repeat(",1", 3*maxShelf)
	for i := range 3 * maxShelf {
		s.answer([]byte("SELECT id FROM t WHERE id IN (1" + in[:2*(i%40)] + ")"))
	}
	if s.known > maxShelf || len(s.lists) > maxShelf {
		t.Errorf("%d known replies in %d lists, want at most %d", s.known, len(s.lists), maxShelf)
	}
}

func TestVariantsDecode(t *testing.T) {
	t.Parallel()
	c := canned{reply: Answers{}.Answer([]byte("SELECT id, c FROM t WHERE id BETWEEN 1 AND 2"))}
	seen := map[string]bool{}
	for v := range variants {
		b := c.packets(v)
		seen[string(b)] = true
		var r wire.Response
		r.Start(v.caps())
		for !r.Done() {
			n := packetLen(b)
			if _, err := r.Next(b[4 : 4+n]); err != nil {
				t.Fatalf("variant %d: %v", v, err)
			}
			b = b[4+n:]
		}
		if len(b) != 0 || r.Rows != 100 {
			t.Errorf("variant %d: %d rows, %d bytes left", v, r.Rows, len(b))
		}
	}
	if len(seen) != int(variants) {
		t.Errorf("%d different encodings of %d", len(seen), variants)
	}
}
