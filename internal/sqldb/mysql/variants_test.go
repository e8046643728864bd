package mysql

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"deltabench/internal/measure"
	"deltabench/internal/nullserver"
	"deltabench/internal/sqldb"
	"deltabench/internal/wire"
)

// table is the reply of the null servers below.
func table(n int) *nullserver.Reply {
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{i, strings.Repeat("v", i*100)}
	}
	return nullserver.Table([]wire.Column{{Name: []byte("id"), Type: wire.TypeLong}, {Name: []byte("v"), Type: wire.TypeVarString}}, rows...)
}

// useVariant makes text and prepared statements with results of several sizes.
func useVariant(c sqldb.Conn) error {
	s, err := c.Prepare("SELECT id, v FROM t WHERE id<?", 0, sqldb.IntParam)
	if err != nil {
		return err
	}
	for _, n := range []int{0, 1, 3, 200} {
		got := 0
		res, err := c.Query(fmt.Sprintf("SELECT id, v FROM t LIMIT %d", n), func(cells [][]byte) error {
			if want := fmt.Sprint(got); string(cells[0]) != want || len(cells[1]) != got*100 {
				return fmt.Errorf("row %d: got %q and %d bytes", got, cells[0], len(cells[1]))
			}
			got++
			return nil
		})
		if err != nil || res.Rows != int64(n) || got != n {
			return fmt.Errorf("text, %d rows: got %+v, %d calls, %w", n, res, got, err)
		}
		s.SetInt(0, int64(n))
		if res, err := s.Execute(); err != nil || res.Rows != int64(n) || !res.HasRows {
			return fmt.Errorf("prepared, %d rows: got %+v, %w", n, res, err)
		}
	}
	if res, err := c.Query("BEGIN", nil); err != nil || res != (sqldb.Result{Class: measure.Other}) {
		return fmt.Errorf("BEGIN: got %+v, %w", res, err)
	}
	return nil
}

// variantHandler answers the statements of useVariant.
func variantHandler(q *nullserver.Query) *nullserver.Reply {
	if q.SQL == "SELECT 1" || q.SQL == "SELECT ?" {
		return nullserver.Table([]wire.Column{{Name: []byte("1"), Type: wire.TypeLong}}, []any{1})
	}
	if !strings.HasPrefix(q.SQL, "SELECT") {
		return nullserver.Affected(0)
	}
	n := int64(0)
	if len(q.Args) > 0 {
		n, _ = q.Args[0].(int64)
	} else if _, limit, ok := strings.Cut(q.SQL, "LIMIT "); ok {
		_, _ = fmt.Sscan(limit, &n)
	}
	return table(int(n))
}

func TestProtocolVariants(t *testing.T) {
	tests := []struct {
		name  string
		o     nullserver.Options
		edit  func(*Config)
		cache bool
		caps  wire.Capability
	}{
		{"MariaDB", nullserver.Options{}, nil, true, wire.MariaDBCacheMetadata | wire.DeprecateEOF},
		{"MariaDB without EOF deprecation", nullserver.Options{NoDeprecateEOF: true}, nil, true, wire.MariaDBCacheMetadata},
		{"MariaDB without caching", nullserver.Options{NoMetadataCache: true}, nil, false, wire.DeprecateEOF},
		{"old", nullserver.Options{NoMetadataCache: true, NoDeprecateEOF: true}, nil, false, 0},
		{"MySQL", nullserver.Options{MySQL: true}, nil, false, wire.LongPassword | wire.DeprecateEOF},
		{"MySQL with optional metadata", nullserver.Options{MySQL: true, OptionalMetadata: true}, nil, true, wire.OptionalResultsetMetadata},
		{"MySQL with the rest", nullserver.Options{MySQL: true, OptionalMetadata: true, SessionTrack: true, QueryAttributes: true}, nil, true, wire.OptionalResultsetMetadata},
		{"optional metadata without EOF deprecation", nullserver.Options{MySQL: true, OptionalMetadata: true, NoDeprecateEOF: true}, nil, false, wire.LongPassword},
		{"zlib", nullserver.Options{Compression: []wire.Algorithm{wire.Zlib, wire.Zstd}}, func(c *Config) { c.Compression = []string{"zlib"} }, true, wire.Compress},
		{"zstd", nullserver.Options{Compression: []wire.Algorithm{wire.Zlib, wire.Zstd}, MySQL: true}, func(c *Config) { c.Compression = []string{"zstd", "zlib"} }, false, wire.ZstdCompression},
		{"bytes one by one", nullserver.Options{Fault: func(*nullserver.Query) nullserver.Fault { return nullserver.Fault{Kind: nullserver.FaultSplit} }, Handler: smallHandler}, nil, true, wire.DeprecateEOF},
	}
	for _, test := range tests {
		for _, loops := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/loop=%v", test.name, loops), func(t *testing.T) {
				o, use := test.o, useSmall
				if o.Handler == nil {
					o.Handler, use = variantHandler, useVariant
				}
				s, cfg := startNull(t, o)
				if test.edit != nil {
					test.edit(&cfg)
				}
				cl := newClientFor(t, cfg)
				run := func(env sqldb.Env) error {
					for range 2 {
						c, err := cl.Connect(env, cl.stats)
						if err != nil {
							return fmt.Errorf("%w\n%s", err, cl.log)
						}
						if got := c.Transport().MetadataCache; got != test.cache {
							t.Errorf("metadata cache: got %v, want %v", got, test.cache)
						}
						if err := use(c); err != nil {
							return err
						}
						if err := c.Close(); err != nil {
							return err
						}
					}
					return nil
				}
				if loops {
					inLoop(t, run)
				} else if err := run(cl.env); err != nil {
					t.Error(err)
				}
				logins := s.Logins()
				if len(logins) != 2 || !logins[0].Capabilities.Has(test.caps|wire.MultiStatements) || logins[0].Capabilities.Has(wire.FoundRows) {
					t.Errorf("logins: got %+v, want capabilities %#x", logins, uint64(test.caps))
				}
				if cl.log.Len() > 0 {
					t.Errorf("log: got %q", cl.log)
				}
			})
		}
	}
}

func smallHandler(*nullserver.Query) *nullserver.Reply { return table(2) }

func useSmall(c sqldb.Conn) error {
	s, err := c.Prepare("SELECT id, v FROM t", 0)
	if err != nil {
		return err
	}
	for range 2 {
		if res, err := s.Execute(); err != nil || res.Rows != 2 {
			return fmt.Errorf("got %+v, %w", res, err)
		}
		if res, err := c.Query("SELECT id, v FROM t", nil); err != nil || res.Rows != 2 {
			return fmt.Errorf("got %+v, %w", res, err)
		}
	}
	return nil
}

func TestOptionalMetadataRefused(t *testing.T) {
	_, cfg := startNull(t, nullserver.Options{MySQL: true, OptionalMetadata: true, Handler: func(q *nullserver.Query) *nullserver.Reply {
		if strings.HasPrefix(q.SQL, "SET ") {
			return nullserver.Error(1193, "HY000", "Unknown system variable 'resultset_metadata'")
		}
		return variantHandler(q)
	}})
	cl := newClientFor(t, cfg)
	for range 2 {
		if err := useVariant(cl.connect(t)); err != nil {
			t.Error(err)
		}
	}
	if got := cl.counters(); got.Errors != 0 || cl.log.Len() != 0 {
		t.Errorf("counters: got %+v, log %q", got, cl.log)
	}
}

// A server that answers otherwise than documented is used without the capability.
func TestOptionalMetadataNotAsDocumented(t *testing.T) {
	for name, raw := range map[string][][]byte{
		"count before flag": {[]byte("\x01\x00"), []byte("\x011"), []byte("\xfe\x00\x00\x02\x00\x00\x00")},
		"no flag":           {[]byte("\x05"), []byte("\x011"), []byte("\xfe\x00\x00\x02\x00\x00\x00")},
		"surplus packet":    {[]byte("\x00\x01"), []byte("\x011"), []byte("\xfe\x00\x00\x02\x00\x00\x00"), []byte("\xfe\x00\x00\x02\x00\x00\x00")},
		"an OK packet":      {[]byte("\x00\x00\x00\x02\x00\x00\x00")},
	} {
		var tries atomic.Int32
		s, cfg := startNull(t, nullserver.Options{MySQL: true, OptionalMetadata: true, Handler: func(q *nullserver.Query) *nullserver.Reply {
			if q.SQL == "SELECT 1" {
				tries.Add(1)
				return &nullserver.Reply{Raw: raw}
			}
			return variantHandler(q)
		}})
		cl := newClientFor(t, cfg)
		for range 2 {
			c := cl.connect(t)
			if err := useVariant(c); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if c.Transport().MetadataCache {
				t.Errorf("%s: metadata is left out", name)
			}
		}
		logins := s.Logins()
		if len(logins) != 3 || tries.Load() != 1 || logins[1].Capabilities.Has(wire.OptionalResultsetMetadata) {
			t.Errorf("%s: got %d logins and %d tries, want 3 and 1", name, len(logins), tries.Load())
		}
		if cl.log.Len() != 0 {
			t.Errorf("%s: log: got %q", name, cl.log)
		}
	}
}

// Every type in both protocols: the binary form becomes the same text.
func TestTypesInBothProtocols(t *testing.T) {
	cl := newClient(t, nil)
	c := cl.connect(t)
	query(t, c, `CREATE TABLE a (id INT PRIMARY KEY, t1 TINYINT, t2 TINYINT UNSIGNED, s1 SMALLINT, s2 SMALLINT UNSIGNED,
		m1 MEDIUMINT, m2 MEDIUMINT UNSIGNED, i1 INT, i2 INT UNSIGNED, b1 BIGINT, b2 BIGINT UNSIGNED, z1 INT(8) ZEROFILL, z2 TINYINT ZEROFILL,
		f1 FLOAT, f2 FLOAT(8,3), d1 DOUBLE, d2 DOUBLE(20,4), n1 DECIMAL(30,10), y1 YEAR, da DATE, ti TIME, t6 TIME(6), dt DATETIME,
		d3 DATETIME(3), ts TIMESTAMP(6) NULL, c1 CHAR(10), v1 VARCHAR(300), vb VARBINARY(10), bl BLOB, tx TEXT, en ENUM('a','b'), st SET('x','y'),
		bi BIT(10), js JSON, ge POINT)`)
	values := []string{
		"-128,255,-32768,65535,-8388608,16777215,-2147483648,4294967295,-9223372036854775808,18446744073709551615,42,7," +
			"0.1,12345.678,0.1,1234567890.12345,-12345678901234567890.0123456789,2026,'2026-11-30','-838:59:59','12:34:56.000789','2026-11-30 01:02:03'," +
			"'2026-11-30 01:02:03.04','2026-11-30 01:02:03.000001','abc',REPEAT('x',300),x'00ff','blob','text','b','x,y',b'1000000001','{\"a\":1}',POINT(1,2)",
		"127,0,32767,0,8388607,0,2147483647,0,9223372036854775807,0,0,0,-1e30,0,-1e-30,0,0,0,'0000-00-00','00:00:00','-00:00:01.5','1000-01-01 00:00:00'," +
			"'9999-12-31 23:59:59.999',NULL,'','','','','','a','',b'0','[]',NULL",
		"NULL" + strings.Repeat(",NULL", 33),
	}
	query(t, c, "SET sql_mode=''")
	for i, v := range values {
		query(t, c, fmt.Sprintf("INSERT INTO a VALUES (%d,%s)", i, v))
	}
	// Numbers whose text form is a matter of taste.
	for i, v := range []string{
		"1e15", "1e16", "123456789012345678", "1e-4", "1e-5", "1.5e-7", "1e14", "999999999999999", "1234567", "16777216", "0.30000001",
		"3.4028234663852886e38", "1.17549435e-38", "100000", "1000000", "2.5e-10", "1e100", "-0.5", "33333.333", "1e-15", "1e-16",
	} {
		query(t, c, fmt.Sprintf("INSERT INTO a (id, f1, d1, f2, d2) VALUES (%d, %s, %s, 0.5, 1e10)", 100+i, v, v))
	}
	want := query(t, c, "SELECT * FROM a ORDER BY id")
	got := binaryRows(t, c, "SELECT * FROM a ORDER BY id")
	if len(got) != len(want) {
		t.Fatalf("got %d rows, want %d", len(got), len(want))
	}
	for i := range want {
		for j := range want[i] {
			if got[i][j] != want[i][j] {
				t.Errorf("row %d, column %d: got %q, want %q", i, j, got[i][j], want[i][j])
			}
		}
	}
}

// binaryRows executes a prepared statement and decodes its rows, which the driver itself never needs. The columns are
// taken from a text query: with metadata caching the execution does not tell them.
func binaryRows(t *testing.T, c *conn, text string) (all [][]string) {
	t.Helper()
	st, err := c.Prepare(text, 0)
	if err != nil {
		t.Fatal(err)
	}
	var columns []wire.Column
	var cells [][]byte
	var buf []byte
	follow := func(packet []byte, each func(wire.Event, []byte)) {
		if err := c.send(packet); err != nil {
			t.Fatal(err)
		}
		for c.resp.Start(c.caps); !c.resp.Done(); {
			packet, err := c.rd.Next()
			if err != nil {
				t.Fatal(err)
			}
			event, err := c.resp.Next(packet)
			if err != nil {
				t.Fatal(err)
			}
			if event == wire.EventError {
				t.Fatal(c.serverError(packet))
			}
			each(event, packet)
		}
	}
	follow(append(append(c.begin(), byte(wire.ComQuery)), text...), func(event wire.Event, packet []byte) {
		if event == wire.EventColumn {
			var col wire.Column
			if err := col.Decode(packet, c.caps); err != nil {
				t.Fatal(err)
			}
			columns = append(columns, col.Clone())
		}
	})
	follow(wire.AppendExecute(c.begin(), st.(*stmt).id, nil, false), func(event wire.Event, packet []byte) {
		if event != wire.EventRow {
			return
		}
		if cells, buf, err = wire.DecodeBinaryRow(packet, columns, cells, buf); err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, cell := range cells {
			if cell == nil {
				row = append(row, "NULL")
			} else {
				row = append(row, string(cell))
			}
		}
		all = append(all, row)
	})
	return all
}

func TestEmulatedText(t *testing.T) {
	tests := []struct {
		text string
		set  func(sqldb.Stmt)
		want string
	}{
		{"SELECT ?, '?', ?, ?, ?", func(s sqldb.Stmt) {
			s.SetInt(0, -5)
			s.SetString(1, []byte(`it's`))
			s.SetDouble(2, 2.5)
		}, "SELECT -5, ''it's'', 2.500000, NULL, ?"},
		{"DO 1", nil, "DO 1"},
	}
	for _, test := range tests {
		s := &stmt{text: test.text, emulated: true, params: newParams([]sqldb.ParamType{sqldb.IntParam, sqldb.StringParam, sqldb.DoubleParam, sqldb.IntParam})}
		if test.set != nil {
			test.set(s)
		}
		if got := string(s.appendText(nil)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.text, got, test.want)
		}
	}
}

func TestMisuseOfParametersPanics(t *testing.T) {
	for name, f := range map[string]func(*stmt){
		"index":  func(s *stmt) { s.SetInt(1, 0) },
		"type":   func(s *stmt) { s.SetString(0, nil) },
		"double": func(s *stmt) { s.SetDouble(0, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f(&stmt{params: newParams([]sqldb.ParamType{sqldb.IntParam})})
		}()
	}
}

func TestDryRun(t *testing.T) {
	cl := newClientFor(t, Config{Hosts: []string{"nosuch.invalid"}, Ports: []int{1}, DryRun: true})
	c, err := cl.Connect(cl.env, cl.stats)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Query("SELECT 1", func([][]byte) error { return errors.New("a row") })
	if err != nil || res != (sqldb.Result{Class: measure.Other}) {
		t.Errorf("query: got %+v, %v", res, err)
	}
	s, err := c.Prepare("SELECT ?", 0, sqldb.IntParam)
	if err != nil {
		t.Fatal(err)
	}
	s.SetInt(0, 1)
	if res, err := s.Execute(); err != nil || res != (sqldb.Result{Class: measure.Other}) {
		t.Errorf("execute: got %+v, %v", res, err)
	}
	if err := errors.Join(s.Close(), c.Reconnect(), c.Close()); err != nil {
		t.Error(err)
	}
	if _, err := c.Query("SELECT 1", nil); err == nil {
		t.Error("query after close: no error")
	}
	if got := cl.counters(); got != (measure.Counters{Others: 2, Reconnects: 1}) {
		t.Errorf("counters: got %+v", got)
	}
}

func TestLatencyByKind(t *testing.T) {
	_, cfg := startNull(t, nullserver.Options{})
	cl := newClientFor(t, cfg)
	cl.rec = measure.NewRecorder(measure.Options{Kinds: []string{"", "selects", "commits"}})
	cl.stats = cl.rec.Thread()
	c := cl.connect(t)
	s, err := c.Prepare("SELECT c FROM sbtest1 WHERE id=?", 1, sqldb.IntParam)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.Execute(); err != nil {
			t.Fatal(err)
		}
	}
	c.SetKind(2)
	query(t, c, "COMMIT")
	c.SetKind(measure.KindNone)
	query(t, c, "BEGIN")
	set := &measure.Set{Options: measure.Options{Kinds: []string{"", "selects", "commits"}}, Recorders: []*measure.Recorder{cl.rec}}
	kinds := set.Cumulative().Kinds
	if kinds[1].Count != 3 || kinds[2].Count != 1 || kinds[1].Sum <= 0 {
		t.Errorf("got %d and %d statements", kinds[1].Count, kinds[2].Count)
	}
}

func TestDebugLines(t *testing.T) {
	_, cfg := startNull(t, nullserver.Options{Handler: func(q *nullserver.Query) *nullserver.Reply {
		switch {
		case strings.Contains(q.SQL, "unsupported") && q.Command == wire.ComStmtPrepare:
			return nullserver.Error(1295, "HY000", "This command is not supported in the prepared statement protocol yet")
		case strings.Contains(q.SQL, "bad"):
			return nullserver.Error(1064, "42000", "bad")
		case strings.HasPrefix(q.SQL, "SELECT"):
			return table(2)
		}
		return nullserver.Affected(0)
	}})
	cfg.Debug, cfg.Password = true, "secret password"
	cl := newClientFor(t, cfg)
	c, err := cl.Connect(cl.env, cl.stats)
	if err != nil {
		t.Fatal(err)
	}
	query(t, c, "SELECT 1")
	query(t, c, "DO 1")
	if _, err := c.Query("bad", nil); err == nil {
		t.Error("no error")
	}
	for _, text := range []string{"SELECT 2", "unsupported"} {
		s, err := c.Prepare(text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Execute(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`DEBUG: mysql_library_init(0, (nil), (nil))
DEBUG: mysql_init(PTR)
DEBUG: mysql_real_connect(PTR, "127.0.0.1", "u", "***", "db", %d, "(null)", CLIENT_MULTI_STATEMENTS)
DEBUG: mysql_real_query(PTR, "SELECT 1", 8) = 0
DEBUG: mysql_store_result(PTR) = PTR
DEBUG: mysql_num_rows(PTR) = 2
DEBUG: mysql_num_fields(PTR) = 2
DEBUG: mysql_real_query(PTR, "DO 1", 4) = 0
DEBUG: mysql_store_result(PTR) = (nil)
DEBUG: mysql_real_query(PTR, "bad", 3) = 1
FATAL: mysql_drv_query() returned error 1064 (bad) for query 'bad'
DEBUG: mysql_stmt_init(PTR) = PTR
DEBUG: mysql_stmt_prepare(PTR, "SELECT 2", 8) = PTR
DEBUG: mysql_stmt_execute(PTR) = 0
DEBUG: mysql_stmt_store_result(PTR) = 0
DEBUG: mysql_stmt_num_rows(PTR) = 2
DEBUG: mysql_stmt_close(PTR)
DEBUG: mysql_stmt_init(PTR) = PTR
DEBUG: mysql_stmt_prepare(PTR, "unsupported", 11) = PTR
DEBUG: mysql_errno(PTR) = 1295
DEBUG: mysql_real_query(PTR, "unsupported", 11) = 0
DEBUG: mysql_store_result(PTR) = (nil)
DEBUG: mysql_close(PTR)
`, cfg.Ports[0])
	if got := regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllString(cl.log.String(), "PTR"); got != want {
		t.Errorf("log: got\n%swant\n%s", got, want)
	}
}
