package admin

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"deltabench/internal/evidence"
	"deltabench/internal/mariadbtest"
)

func TestMain(m *testing.M) { os.Exit(mariadbtest.Main(m)) }

func open(t *testing.T, s *mariadbtest.Server) *Server {
	t.Helper()
	a, err := Open(t.Context(), Address{User: "root", Socket: s.Socket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func TestOpenRefused(t *testing.T) {
	s := mariadbtest.Shared(t)
	for _, tc := range []struct {
		a    Address
		want string
	}{
		{Address{User: "sbtest", Password: "geheim", Host: s.Host, Port: s.Port}, "Access denied"},
		{Address{User: "sbtest", Password: mariadbtest.Password, Host: s.Host, Port: s.Port, DB: "nowhere"}, "nowhere"},
		{Address{User: "x", Host: "127.0.0.1", Port: 1}, "no login at x@127.0.0.1:1: "},
		{Address{User: "x", Socket: "/nowhere.sock"}, "no login at x@/nowhere.sock: "},
	} {
		_, err := Open(t.Context(), tc.a)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "geheim") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %s", tc.a, err, tc.want)
		}
	}
}

// Options of many kinds are read back from a server that was started with them.
func TestReadBack(t *testing.T) {
	options := []Option{
		{"innodb_buffer_pool_size", "25666666"}, // the server makes 24M of it
		{"performance_schema", "ON"},
		{"innodb_flush_log_at_trx_commit", "2"},
		{"max_connections", "77"},
		{"tmp_table_size", "1M"},
		{"query_cache_type", "0"},
		{"innodb_flush_method", "O_DIRECT"},
		{"sql_mode", "ANSI_QUOTES,NO_ZERO_DATE"},
		{"optimizer_switch", "mrr=on"},
		{"long_query_time", "2.5"},
		{"skip_name_resolve", "1"},
		{"log_bin", "binlog"},
		{"binlog_format", "row"},
		{"character_set_server", "utf8mb4"},
		{"innodb_io_capacity", "250"},
		{"loose_no_such_thing", "1"},
		{"innodb_adaptive_hash_index", "1"},
		{"tx_isolation", "READ-COMMITTED"},
		{"performance_schema_instrument", "'statement/%=on'"},
		{"slow_query_log", "0"},
		{"server_id", "9"},
		{"transaction_isolation", "READ-COMMITTED"},
		{"concurrent_insert", "2"},
		{"loose-innodb-io-capacity-max", "5000"},
		{"init_connect", "SET NAMES 'utf8mb4'"},
	}
	var args []string
	for _, o := range options {
		name := strings.ReplaceAll(o.Name, "_", "-")
		if o.Name == "tx_isolation" {
			name = "transaction-isolation"
		}
		args = append(args, "--"+name+"="+o.Value)
	}
	a := open(t, mariadbtest.Start(t, mariadbtest.WithArgs(args...)))
	got, err := a.ReadBack(t.Context(), options)
	if err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
	got, err = a.ReadBack(t.Context(), []Option{{"innodb_bufer_pool_size", "24M"}, {"max_connections", "78"}, {"performance_schema", "OFF"}, {"skip_log_bin", "1"}, {"innodb_buffer_pool_size", "16M"}, {"concurrent_insert", "1"}})
	var texts []string
	for _, m := range got {
		texts = append(texts, m.Text)
	}
	want := []string{
		"innodb_bufer_pool_size: the server has no such variable; did you mean innodb_buffer_pool_size?",
		"max_connections: 78 was asked for, the server has 77",
		"performance_schema: OFF was asked for, the server has ON",
		"skip_log_bin: 1 was asked for, the server has ON",
		"innodb_buffer_pool_size: 16M was asked for, the server has 25165824",
		"concurrent_insert: 1 was asked for, the server has ALWAYS",
	}
	if err != nil || !slices.Equal(texts, want) {
		t.Errorf("%v, %q", err, texts)
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, want, got string
		same            bool
	}{
		{"a", "1G", "1073741824", true},
		{"a", "1G", "1073741825", false},
		{"a", "ON", "1", true},
		{"a", "yes", "OFF", false},
		{"a", "/tmp", "/tmp/", true},
		{"a", "b,a", "A,B", true},
		{"a", "a", "a,b", false},
		{"optimizer_switch", "mrr=on", "x=off,mrr=on", true},
		{"innodb_buffer_pool_size", "100M", "134217728", false},
		{"a", "1", "", false},
		{"a", "ON", "", false},
		{"sql_mode", "TRADITIONAL", "STRICT_ALL_TABLES,TRADITIONAL", true},
		{"sql_mode", "STRICT_ALL_TABLES", "STRICT_ALL_TABLES,TRADITIONAL", false},
		{"sql_mode", "", "STRICT_ALL_TABLES", false},
		{"a", "0.5", "0.500000", true},
		{"a", "2", "ON", false},
		{"a", "fsync", "O_DIRECT", false},
		{"a", "", "ON", true},
	} {
		if got := same(tc.name, tc.want, tc.got); got != tc.same {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

// What scenarios change is put back, and nothing else is touched.
func TestPutBack(t *testing.T) {
	a := open(t, mariadbtest.Start(t, mariadbtest.WithArgs("--performance-schema=ON")))
	ctx := t.Context()
	before, err := a.Remember(ctx)
	if err != nil || len(before.Settings) < 100 {
		t.Fatalf("%d settings, %v", len(before.Settings), err)
	}
	if err := a.SetGlobals(ctx, []Option{{"innodb_io_capacity", "300"}, {"max_connections", "123"}, {"sql_mode", "ANSI_QUOTES"}, {"long_query_time", "3.5"}, {"innodb_flush_log_at_trx_commit", "0"}, {"slow_query_log", "ON"}}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		"UPDATE performance_schema.setup_consumers SET ENABLED = 'YES'",
		"UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE NAME LIKE 'statement/%' OR NAME LIKE 'wait/%'",
	} {
		if err := a.Exec(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	done, err := a.PutBack(ctx, before)
	if err != nil || len(done) < 8 {
		t.Errorf("%v, %v", done, err)
	}
	after, err := a.Remember(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range before.Variables {
		if after.Variables[name] != v && !changesItself(name) {
			t.Errorf("%s: %s, was %s", name, after.Variables[name], v)
		}
	}
	for name, v := range before.Settings {
		if after.Settings[name] != v {
			t.Errorf("%s: %s, was %s", name, after.Settings[name], v)
		}
	}
	if done, err = a.PutBack(ctx, before); err != nil || len(done) > 0 {
		t.Errorf("again: %v, %v", done, err)
	}
}

func TestDataAndCounters(t *testing.T) {
	s := mariadbtest.Shared(t)
	a, ctx := open(t, s), t.Context()
	db := s.NewDatabase(t)
	for _, q := range []string{"CREATE TABLE " + db + ".`a b` (id INT PRIMARY KEY)", "INSERT INTO " + db + ".`a b` VALUES (1), (2), (3)"} {
		if err := a.Exec(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	tables, err := a.Tables(ctx, db)
	if err != nil || !slices.Equal(tables, []string{"a b"}) {
		t.Fatalf("%v, %v", tables, err)
	}
	before, err := a.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := a.Rows(ctx, db, tables)
	if err != nil || rows["a b"] != 3 {
		t.Errorf("%v, %v", rows, err)
	}
	sums, err := a.Checksums(ctx, db, tables)
	if err != nil || sums["a b"] == "" {
		t.Errorf("%v, %v", sums, err)
	}
	if n, err := a.DataBytes(ctx, db); err != nil || n <= 0 {
		t.Errorf("%d, %v", n, err)
	}
	after, err := a.Status(ctx)
	if g := Growth(before, after); err != nil || g["com_select"] < 2 || g["com_checksum"] != 1 {
		t.Errorf("%v, %v", g["com_select"], err)
	}
	id, _, err := a.StartID(ctx)
	for range 12 { // whichever part of a second it is
		again, at, againErr := a.StartID(ctx)
		if err != nil || againErr != nil || id == "" || id != again || at.After(time.Now()) {
			t.Errorf("%q, %q at %s, %v, %v", id, again, at, err, againErr)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := a.Exec(ctx, "SELEKT"); err == nil || !strings.Contains(err.Error(), "SELEKT: Error 1064") {
		t.Error(err)
	}
}

func TestProduction(t *testing.T) {
	s := mariadbtest.Start(t)
	a, ctx := open(t, s), t.Context()
	if got, err := a.Production(ctx, "sbtest"); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
	s.Exec(t, "CREATE DATABASE shop", "CREATE TABLE shop.orders (id INT)")
	other, err := Open(ctx, Address{User: mariadbtest.User, Password: mariadbtest.Password, Host: s.Host, Port: s.Port})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	got, err := a.Production(ctx, "sbtest")
	if err != nil || len(got) != 2 || !strings.Contains(got[0], "1 other client is connected (sbtest)") || !strings.Contains(got[1], "tables in 1 schema besides sbtest (shop)") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLiteral(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"128M": "134217728", "ON": "ON", "it's": "'it''s'", "2.5": "2.5", "READ-COMMITTED": "'READ-COMMITTED'", "": "''"} {
		if got := literal(value); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
	if g := readBack([]Option{{"x", "1"}}, evidence.Snapshot{}); len(g) != 1 {
		t.Error(g)
	}
}
