package main

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"deltabench/internal/mariadbtest"
)

// Tables after a one-thread prepare, by the SHA-256 over their rows in the order of ids: recorded from sysbench
// 1.0.20, and compared with the installed one in the same run.
func TestPreparedTablesAreSysbenchs(t *testing.T) {
	reference, err := exec.LookPath("sysbench")
	if err != nil {
		t.Fatalf("%v: run `make deps`", err)
	}
	s := mariadbtest.Start(t)
	for _, c := range []struct {
		args   string
		tables int
		empty  bool
		hash   string // over all tables
	}{
		{"oltp_read_write", 1, false, "730586d66516a752675824c92edb232856651fcbfa4d62061bcd5ded70920f6a"},
		{"oltp_read_write --tables=3 --table-size=5000", 3, false, "1d7f7614e232344f76baf79ad3b260f5621e33da6ec376f6de8cca9b39048560"},
		{"oltp_read_only --table-size=2000 --auto-inc=off", 1, false, "80e04c728ae2474cdb977de992bb10c286ff3fa1d39d77734475829b77bb8d15"},
		{"oltp_point_select --table-size=3000 --secondary=on --create-secondary=off", 1, false, "7256bc684d4c55f5ec62521ff1d8d80cae8b710b7cd733d3253b3c2ea5f691a3"},
		{"oltp_write_only --table-size=1000 --rand-type=uniform --rand-seed=99", 1, false, "d2d26ea5a27fbd926f5ca1ce39ad57bcf7553a17737faae39f54437ddace94a3"},
		{"oltp_update_index --table-size=1000 --rand-type=gaussian", 1, false, "7ad04019e88a452e8006e3090ad5c9c833b8f0e6e65a552cbe090c9485227d22"},
		{"oltp_delete --table-size=1000 --rand-type=pareto --rand-pareto-h=0.3", 1, false, "5bb6f23ea616e7652893eebb0e9176203ea28d1ade519c13a001a511326d0619"},
		{"select_random_points --table-size=1500 --mysql-storage-engine=myisam", 1, false, "3f588b32517bbfeca58cea8f491c19544f911ac6ab962a28118cb4736b81fe5c"},
		{"oltp_insert --table-size=1200", 1, false, "3b28db20bbb095624430465f5ac982f367dae3cf7e17eb6b678bac7d0857f96a"},
		{"oltp_insert --table-size=1200 --auto-inc=off", 1, true, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"bulk_insert", 1, true, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	} {
		t.Run(c.args, func(t *testing.T) {
			ours, theirs := s.NewDatabase(t), s.NewDatabase(t)
			args := append(strings.Fields(c.args), "--mysql-socket="+s.Socket, "--mysql-user=sbtest", "--mysql-password=pw", "prepare")
			if o := run(t, "sysbench", append(args, "--mysql-db="+ours)...); o.code != 0 {
				t.Fatalf("%v", o)
			}
			if out, err := exec.CommandContext(t.Context(), reference, append(args, "--mysql-db="+theirs)...).CombinedOutput(); err != nil {
				t.Fatalf("installed sysbench: %v\n%s", err, out)
			}
			db := s.DB(t)
			got, created := tableHash(t, db, ours, c.tables)
			want, wantCreated := tableHash(t, db, theirs, c.tables)
			if created != wantCreated {
				t.Errorf("SHOW CREATE TABLE is\n%s\nwith sysbench\n%s", created, wantCreated)
			}
			// Our face loads in its own way; with a seed the rows are its own too.
			if !strings.Contains(c.args, "--rand-seed") {
				loaded := s.NewDatabase(t)
				if o := run(t, "deltabench", append(args, "--mysql-db="+loaded)...); o.code != 0 {
					t.Fatalf("%v", o)
				}
				if hash, created := tableHash(t, db, loaded, c.tables); hash != got || created != wantCreated {
					t.Errorf("deltabench loads rows of the hash %s into\n%s\nwant %s and\n%s", hash, created, got, wantCreated)
				}
			}
			if got != want {
				t.Errorf("rows have the hash %s, those of the installed sysbench %s (is libluajit2 installed? `make deps` replaces it)", got, want)
			}
			if (got == emptyHash) != c.empty {
				t.Errorf("rows have the hash of no rows: %v, want %v", got == emptyHash, c.empty)
			}
			if got != c.hash {
				t.Errorf("rows have the hash %s, recorded is %q", got, c.hash)
			}
		})
	}
}

// emptyHash is the hash of no rows, which only tests of empty tables may have.
var emptyHash = hex.EncodeToString(sha256.New().Sum(nil))

func tableHash(t *testing.T, db *sql.DB, schema string, tables int) (hash, created string) {
	t.Helper()
	h := sha256.New()
	for i := range tables {
		table := fmt.Sprintf("`%s`.sbtest%d", schema, i+1)
		rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table+" ORDER BY id")
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		values := make([]sql.RawBytes, len(columns))
		into := make([]any, len(columns))
		for j := range values {
			into[j] = &values[j]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				fmt.Fprintf(h, "%s\t", v)
			}
			fmt.Fprintln(h)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
		var name, text string
		if err := db.QueryRowContext(t.Context(), "SHOW CREATE TABLE "+table).Scan(&name, &text); err != nil {
			t.Fatal(err)
		}
		created += text + "\n"
	}
	return hex.EncodeToString(h.Sum(nil)), created
}
