package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

func TestStatements(t *testing.T) {
	db := serve(t)
	exec(t, db,
		"CREATE TABLE a (id INT NOT NULL AUTO_INCREMENT, k INT, s VARCHAR(20) DEFAULT 'x', PRIMARY KEY (id), KEY k_a (k))",
		"INSERT INTO a (k, s) VALUES (30,'c'),(10,'a'),(20,'b'),(NULL,'n'),(10,'d')",
	)
	for _, tc := range []struct{ query, want string }{
		{"SELECT id, k, s FROM a ORDER BY id", "1,30,c 2,10,a 3,20,b 4,~,n 5,10,d"},
		{"SELECT s FROM a WHERE id = 3", "b"},
		{"SELECT s FROM a WHERE id = 99", ""},
		{"SELECT s FROM a WHERE id BETWEEN 2 AND 4", "a b n"},
		{"SELECT s FROM a WHERE id IN (5, 1, 77, 1)", "c d"},
		{"SELECT s FROM a WHERE id > 3 AND id < 5", "n"},
		{"SELECT s FROM a WHERE id >= 2 ORDER BY id DESC", "d n b a"},
		{"SELECT s FROM a WHERE id > 1e12", ""},
		{"SELECT s FROM a WHERE id < -1", ""},
		{"SELECT s FROM a WHERE id BETWEEN 2 AND 3 OR id BETWEEN 3 AND 4", "a b n"},
		{"SELECT id FROM a WHERE k = 10 ORDER BY id", "2 5"},
		{"SELECT id FROM a WHERE k BETWEEN 10 AND 20 ORDER BY k, id", "2 5 3"},
		{"SELECT id FROM a WHERE k IS NULL", "4"},
		{"SELECT id FROM a WHERE k IS NOT NULL ORDER BY k DESC, id", "1 3 2 5"},
		{"SELECT id FROM a WHERE k <> 10 ORDER BY id", "1 3"},
		{"SELECT k, COUNT(*) FROM a GROUP BY k ORDER BY k", "~,1 10,2 20,1 30,1"},
		{"SELECT SUM(k), COUNT(*), MIN(id), MAX(id) FROM a", "70,5,1,5"},
		{"SELECT DISTINCT k FROM a WHERE id BETWEEN 1 AND 5 ORDER BY k", "~ 10 20 30"},
		{"SELECT x.id, y.id FROM a x JOIN a y ON x.k = y.id * 10 ORDER BY 1, 2", "1,3 2,1 3,2 5,1"},
		{"SELECT s FROM a FORCE KEY (PRIMARY) LIMIT 2", "c a"},
		{"SELECT COUNT(*) FROM a WHERE s LIKE '%b%'", "1"},
	} {
		if got := query(t, db, tc.query); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.query, got, tc.want)
		}
	}
	if n := exec(t, db, "UPDATE a SET k = k + 1 WHERE k = 10"); n != 2 {
		t.Errorf("%d rows updated, want 2", n)
	}
	// An update that moves rows ahead of the scan must not meet them again.
	if n := exec(t, db, "UPDATE a SET k = k + 5 WHERE k BETWEEN 0 AND 1000"); n != 4 {
		t.Errorf("%d rows updated, want 4", n)
	}
	if got := query(t, db, "SELECT id, k FROM a WHERE k > 0 ORDER BY k, id"); got != "2,16 5,16 3,25 1,35" {
		t.Error(got)
	}
	if n := exec(t, db, "UPDATE a SET id = id + 100 WHERE id <= 2"); n != 2 {
		t.Errorf("%d rows moved, want 2", n)
	}
	if n := exec(t, db, "DELETE FROM a WHERE id IN (3, 4, 50)"); n != 2 {
		t.Errorf("%d rows deleted, want 2", n)
	}
	if got := query(t, db, "SELECT id, k FROM a ORDER BY id"); got != "5,16 101,35 102,16" {
		t.Error(got)
	}
	exec(t, db, "REPLACE INTO a VALUES (5, 1, 'r')", "INSERT INTO a VALUES (101, 2, 'u') ON DUPLICATE KEY UPDATE s = 'dup'")
	if got := query(t, db, "SELECT id, k, s FROM a ORDER BY id"); got != "5,1,r 101,35,dup 102,16,a" {
		t.Error(got)
	}
	if n := exec(t, db, "DELETE FROM a"); n != 3 {
		t.Errorf("%d rows deleted, want 3", n)
	}
}

func TestDefinitions(t *testing.T) {
	db := serve(t)
	exec(t, db, "CREATE TABLE IF NOT EXISTS a (id INT PRIMARY KEY, k INT)", "CREATE TABLE IF NOT EXISTS a (id INT PRIMARY KEY)", "INSERT INTO a VALUES (1, 10), (2, 20), (3, 20)")
	for _, tc := range []struct {
		query string
		want  int
	}{
		{"CREATE TABLE a (id INT)", 1050},
		{"SELECT * FROM missing", 1146},
		{"INSERT INTO missing VALUES (1)", 1146},
		{"DROP TABLE missing", 1051},
		{"DROP TABLE IF EXISTS missing", 0},
		{"INSERT INTO a VALUES (2, 5)", 1062},
		{"UPDATE a SET id = 1 WHERE id = 2", 1062},
		{"CREATE UNIQUE INDEX u ON a(k)", 1062},
		{"CREATE INDEX k ON a(k)", 0},
		{"CREATE INDEX k ON a(k)", 1061},
		{"SELECT nothing FROM a", 1054},
		{"SELEC 1", 1064},
		{"CREATE DATABASE sbtest", 1007},
		{"INSERT INTO a VALUES ('word', 1)", 1366},
	} {
		if got := code(t, db, tc.query); got != tc.want {
			t.Errorf("%s: error %d, want %d", tc.query, got, tc.want)
		}
	}
	_, err := db.Exec("INSERT INTO a VALUES (2, 5)")
	if want := "Error 1062 (23000): Duplicate entry '2' for key 'a.PRIMARY'"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	exec(t, db, "DROP INDEX k ON a", "ALTER TABLE a ADD COLUMN s VARCHAR(10) NOT NULL DEFAULT 'new' AFTER id", "ALTER TABLE a ADD UNIQUE INDEX s_id (s, id)", "INSERT INTO a (id, k) VALUES (4, 40)")
	if got := query(t, db, "SELECT * FROM a WHERE s = 'new' AND id > 1 ORDER BY id"); got != "2,new,20 3,new,20 4,new,40" {
		t.Error(got)
	}
	exec(t, db, "ALTER TABLE a MODIFY k BIGINT", "ALTER TABLE a RENAME COLUMN k TO kk", "DROP INDEX s_id ON a", "ALTER TABLE a DROP COLUMN s", "ALTER TABLE a DROP PRIMARY KEY", "INSERT INTO a VALUES (4, 41)")
	if got := query(t, db, "SELECT * FROM a WHERE id >= 3 ORDER BY id, kk"); got != "3,20 4,40 4,41" {
		t.Error(got)
	}
	exec(t, db, "DELETE FROM a WHERE kk = 41", "ALTER TABLE a ADD PRIMARY KEY (id)", "RENAME TABLE a TO b")
	if got := code(t, db, "INSERT INTO b VALUES (3, 3)"); got != 1062 {
		t.Errorf("error %d, want 1062", got)
	}
	if got := query(t, db, "SELECT b.id FROM b WHERE b.id BETWEEN 2 AND 3"); got != "2 3" {
		t.Error(got)
	}
	exec(t, db, "TRUNCATE TABLE b")
	if got := query(t, db, "SELECT COUNT(*) FROM b"); got != "0" {
		t.Error(got)
	}
	exec(t, db, "CREATE VIEW v AS SELECT id FROM b")
	if got := query(t, db, "SHOW TABLES"); got != "b v" {
		t.Error(got)
	}
	exec(t, db, "DROP VIEW v", "DROP TABLE b")
	if got := query(t, db, "SHOW TABLES"); got != "" {
		t.Error(got)
	}
}

func TestAutoIncrement(t *testing.T) {
	db := serve(t)
	exec(t, db, "CREATE TABLE a (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT)", "INSERT INTO a (k) VALUES (1), (2)", "INSERT INTO a VALUES (10, 3), (0, 4), (5, 5), (NULL, 6)")
	if got := query(t, db, "SELECT id, k FROM a ORDER BY k"); got != "1,1 2,2 10,3 11,4 5,5 12,6" {
		t.Error(got)
	}
	r, err := db.Exec("INSERT INTO a (k) VALUES (7), (8)")
	if err != nil {
		t.Fatal(err)
	}
	if id, _ := r.LastInsertId(); id != 13 {
		t.Errorf("last insert id %d, want 13", id)
	}
	exec(t, db, "ALTER TABLE a AUTO_INCREMENT = 100", "INSERT INTO a (k) VALUES (9)", "TRUNCATE TABLE a", "INSERT INTO a (k) VALUES (10)")
	if got := query(t, db, "SELECT id, k FROM a"); got != "1,10" {
		t.Error(got)
	}
}

func TestTransactions(t *testing.T) {
	db := serve(t)
	exec(t, db, "CREATE TABLE a (id INT PRIMARY KEY, k INT, KEY k (k))", "INSERT INTO a VALUES (1, 10), (2, 20), (3, 30)")
	const before = "1,10 2,20 3,30"
	all := func(c execer) string { return query(t, c, "SELECT id, k FROM a ORDER BY id") }
	one, two := conn(t, db), conn(t, db)
	exec(t, one, "BEGIN", "UPDATE a SET k = 11 WHERE id = 1", "UPDATE a SET k = 10 WHERE id = 1", "UPDATE a SET k = 12 WHERE id = 1",
		"DELETE FROM a WHERE id = 2", "INSERT INTO a VALUES (2, 21), (4, 40)", "DELETE FROM a WHERE id = 3")
	if got, want := all(two), "1,12 2,21 4,40"; got != want {
		t.Errorf("another session reads %s, want the uncommitted %s", got, want)
	}
	exec(t, one, "ROLLBACK")
	if got := all(two); got != before {
		t.Errorf("after ROLLBACK: %s", got)
	}
	if got := query(t, two, "SELECT id FROM a WHERE k BETWEEN 0 AND 100 ORDER BY k"); got != "1 2 3" {
		t.Errorf("by the index after ROLLBACK: %s", got)
	}
	if got := query(t, two, "SELECT id FROM a WHERE k IN (11, 12, 21, 40)"); got != "" {
		t.Errorf("old keys are found: %s", got)
	}
	exec(t, one, "BEGIN", "DELETE FROM a", "ROLLBACK")
	if got := all(two); got != before {
		t.Errorf("after DELETE and ROLLBACK: %s", got)
	}
	exec(t, one, "BEGIN", "INSERT INTO a VALUES (5, 50)", "SAVEPOINT s", "INSERT INTO a VALUES (6, 60)", "ROLLBACK TO SAVEPOINT s", "COMMIT")
	if got := all(two); got != before+" 5,50" {
		t.Errorf("after a savepoint: %s", got)
	}
	// A statement that fails leaves nothing behind, in a transaction or without one.
	for _, begin := range []string{"BEGIN", "SET @x = 1"} {
		exec(t, one, begin)
		if got := code(t, one, "INSERT INTO a VALUES (7, 70), (8, 80), (1, 1)"); got != 1062 {
			t.Errorf("error %d, want 1062", got)
		}
		exec(t, one, "COMMIT")
		if got := all(two); got != before+" 5,50" {
			t.Errorf("after a failed statement: %s", got)
		}
	}
	// Its row locks are gone, too.
	if n := exec(t, two, "UPDATE a SET k = 51 WHERE id = 5", "DELETE FROM a WHERE id = 5"); n != 1 {
		t.Errorf("%d rows deleted, want 1", n)
	}
	exec(t, one, "SET autocommit = 0", "INSERT INTO a VALUES (9, 90)", "ROLLBACK", "SET autocommit = 1")
	if got := all(two); got != before {
		t.Errorf("after ROLLBACK without autocommit: %s", got)
	}
}

// An open transaction of a connection that goes is rolled back, and those who wait get the row.
func TestLostConnection(t *testing.T) {
	db := serve(t)
	exec(t, db, "CREATE TABLE a (id INT PRIMARY KEY, k INT)", "INSERT INTO a VALUES (1, 10)")
	one := conn(t, db)
	exec(t, one, "BEGIN", "UPDATE a SET k = 99 WHERE id = 1")
	updated := make(chan error, 1)
	go func() {
		_, err := db.Exec("UPDATE a SET k = k + 1 WHERE id = 1")
		updated <- err
	}()
	select {
	case err := <-updated:
		t.Fatalf("the row was not locked: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	_ = one.Raw(func(any) error { return errors.New("forget this connection") })
	_ = one.Raw(func(c any) error { return c.(interface{ Close() error }).Close() })
	if err := <-updated; err != nil {
		t.Fatal(err)
	}
	if got := query(t, db, "SELECT k FROM a"); got != "11" {
		t.Errorf("k is %s, want 11", got)
	}
}

func TestDeadlock(t *testing.T) {
	db := serve(t)
	exec(t, db, "CREATE TABLE a (id INT PRIMARY KEY, k INT)", "INSERT INTO a VALUES (1, 0), (2, 0)")
	one, two := conn(t, db), conn(t, db)
	exec(t, one, "BEGIN", "UPDATE a SET k = 1 WHERE id = 1")
	exec(t, two, "BEGIN", "UPDATE a SET k = 2 WHERE id = 2")
	waits := make(chan error, 1)
	go func() {
		_, err := one.ExecContext(context.Background(), "UPDATE a SET k = 1 WHERE id = 2")
		waits <- err
	}()
	// Whoever comes second closes the circle.
	_, err := two.ExecContext(t.Context(), "UPDATE a SET k = 2 WHERE id = 1")
	victims := 0
	for _, err := range []error{err, <-waits} {
		var e *mysql.MySQLError
		if errors.As(err, &e) && e.Number == 1213 && string(e.SQLState[:]) == "40001" {
			victims++
		} else if err != nil {
			t.Errorf("error %v", err)
		}
	}
	if victims != 1 {
		t.Fatalf("%d victims of the deadlock, want 1", victims)
	}
	exec(t, one, "COMMIT")
	exec(t, two, "COMMIT")
	if got := query(t, db, "SELECT k FROM a ORDER BY id"); got != "1 1" && got != "2 2" {
		t.Errorf("rows are %s, want those of one transaction", got)
	}
}

// Many sessions change the same few rows: no update is lost, indexes agree with the rows, uniqueness holds.
func TestConcurrentChanges(t *testing.T) {
	db := serve(t)
	const rows, workers, rounds = 20, 6, 40
	exec(t, db, "CREATE TABLE a (id INT PRIMARY KEY, k INT NOT NULL, u INT NOT NULL, KEY k (k), UNIQUE KEY u (u))")
	for i := range rows {
		exec(t, db, fmt.Sprintf("INSERT INTO a VALUES (%d, 0, %d)", i, i))
	}
	var increments, retries atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		c := conn(t, db)
		wg.Go(func() {
			for r := range rounds {
				id := (w*7 + r*3) % rows
				err := transactionOf(c, []string{
					fmt.Sprintf("UPDATE a SET k = k + 1 WHERE id = %d", id),
					fmt.Sprintf("UPDATE a SET u = u + 1000 WHERE id = %d", (id+1)%rows),
					fmt.Sprintf("DELETE FROM a WHERE id = %d", (id+2)%rows),
					fmt.Sprintf("INSERT INTO a SELECT %d, k, u FROM a WHERE id = -1", (id+2)%rows),
				}, r%4 != 0)
				switch {
				case err == nil && r%4 != 0:
					increments.Add(1)
				case err != nil:
					retries.Add(1)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d transactions, %d failed", workers*rounds, retries.Load())
	byRow := query(t, db, "SELECT id, k, u FROM a ORDER BY id")
	for _, index := range []string{"k", "u"} {
		byIndex := query(t, db, "SELECT COUNT(*), SUM(k), SUM(u) FROM a WHERE "+index+" >= 0")
		if want := query(t, db, "SELECT COUNT(*), SUM(k), SUM(u) FROM a WHERE id + 0 >= 0"); byIndex != want {
			t.Errorf("by index %s: %s, by row: %s", index, byIndex, want)
		}
	}
	if strings.Contains(byRow, "~") {
		t.Error(byRow)
	}
}

// transactionOf executes statements and commits, or rolls back.
func transactionOf(c *sql.Conn, queries []string, commit bool) error {
	ctx := context.Background()
	end := "ROLLBACK"
	if commit {
		end = "COMMIT"
	}
	for _, q := range append(append([]string{"BEGIN"}, queries...), end) {
		if _, err := c.ExecContext(ctx, q); err != nil {
			_, _ = c.ExecContext(ctx, "ROLLBACK")
			return err
		}
	}
	return nil
}
