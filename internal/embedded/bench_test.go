package embedded

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// fill makes a table like sysbench's.
func fill(t testing.TB, db *sql.DB, rows int) {
	t.Helper()
	exec(t, db, "CREATE TABLE t (id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id))")
	for n := 0; n < rows; {
		var b strings.Builder
		b.WriteString("INSERT INTO t (k, c, pad) VALUES")
		for i := 0; i < 1000 && n < rows; i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "(%d,'%0119d','%059d')", rand.IntN(rows)+1, n, n)
			n++
		}
		exec(t, db, b.String())
	}
	exec(t, db, "CREATE INDEX k_t ON t(k)")
}

func BenchmarkPointSelect(b *testing.B) {
	for _, rows := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			db := serve(b)
			fill(b, db, rows)
			b.SetParallelism(2)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				s, err := db.Prepare("SELECT c FROM t WHERE id=?")
				if err != nil {
					b.Error(err)
					return
				}
				defer s.Close()
				for pb.Next() {
					var c string
					if err := s.QueryRow(rand.IntN(rows) + 1).Scan(&c); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
		})
	}
}
