package mysql

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"deltabench/internal/sqldb"
	"deltabench/internal/wire"
)

const loadText = "LOAD DATA LOCAL INFILE 'x' INTO TABLE a (id, s)"

func withInfile(cfg *Config) { cfg.LocalInfile = true }

// lines are rows of a table of two columns.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\t%s\n", i+1, strings.Repeat("y", i%50))
	}
	return b.String()
}

func TestLoadInfile(t *testing.T) {
	for _, compression := range [][]string{nil, {"zlib"}} {
		cl := newClient(t, func(cfg *Config) { cfg.LocalInfile, cfg.Compression = true, compression })
		c := cl.connect(t)
		query(t, c, "CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(60))")
		before := cl.counters()
		for _, rows := range []int{0, 1, 20000} { // 20,000 rows are several packets, more than 256 pieces of a reader
			query(t, c, "TRUNCATE TABLE a")
			res, err := c.LoadInfile(loadText, "x", iotest.HalfReader(strings.NewReader(lines(rows))))
			if err != nil || res.Affected != uint64(rows) {
				t.Fatalf("%v %d rows: got %+v, %v", compression, rows, res, err)
			}
			want := fmt.Sprintf("[[%d %d]]", rows, rows)
			if got := fmt.Sprint(query(t, c, "SELECT COUNT(*), COALESCE(MAX(id), 0) FROM a")); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		if after := cl.counters(); after.Writes != before.Writes {
			t.Errorf("loads are counted: %+v, then %+v", before, after)
		}
	}
}

// Errors come as the server sent them and are not logged; the connection goes on.
func TestTryIsQuiet(t *testing.T) {
	cl := newClient(t, func(cfg *Config) { cfg.LocalInfile, cfg.IgnoreAllErrors = true, true })
	c := cl.connect(t)
	cl.log.Reset()
	for _, do := range []func() error{
		func() error { _, err := c.Try("SELECT * FROM nosuch", nil); return err },
		func() error {
			_, err := c.LoadInfile("LOAD DATA LOCAL INFILE 'x' INTO TABLE nosuch", "x", strings.NewReader("1\n"))
			return err
		},
	} {
		err := do()
		var e *sqldb.Error
		if !errors.As(err, &e) || e.Code != 1146 || sqldb.Restartable(err) {
			t.Errorf("got %v, want error 1146", err)
		}
	}
	if got := cl.counters(); got.Errors != 0 || cl.log.Len() > 0 {
		t.Errorf("%+v counted, %q logged", got, cl.log)
	}
	if got := fmt.Sprint(query(t, c, "SELECT 1")); got != "[[1]]" {
		t.Errorf("afterwards: got %s", got)
	}
}

// Without the option the server is not told that files may be asked for.
func TestInfileIsOnlyOffered(t *testing.T) {
	cl := newClient(t, nil)
	c := cl.connect(t)
	query(t, c, "CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(60))")
	var e *sqldb.Error
	if _, err := c.LoadInfile(loadText, "x", strings.NewReader(lines(1))); !errors.As(err, &e) || e.Code != 4166 && e.Code != 1148 {
		t.Errorf("got %v, want a refusal", err)
	}
}

// Data that ends in an error must not be taken for all: the transaction is undone.
func TestInfileDataFails(t *testing.T) {
	cl := newClient(t, withInfile)
	c := cl.connect(t)
	query(t, c, "CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(60)) ENGINE=InnoDB")
	query(t, c, "START TRANSACTION")
	data := io.MultiReader(strings.NewReader(lines(10000)), iotest.ErrReader(errors.New("no more digits")))
	if _, err := c.LoadInfile(loadText, "x", data); err == nil || !strings.Contains(err.Error(), "no more digits") {
		t.Errorf("got %v", err)
	}
	if _, err := c.Try("SELECT 1", nil); err == nil {
		t.Error("the connection goes on")
	}
	other := cl.connect(t)
	// A locking read waits for the end of the transaction.
	if got := fmt.Sprint(query(t, other, "SELECT COUNT(*) FROM a LOCK IN SHARE MODE")); got != "[[0]]" {
		t.Errorf("%s rows stay", got)
	}
}

// askingServer answers every query by asking for a file, and collects what it gets.
func askingServer(t *testing.T, file string) (addr *net.TCPAddr, got *bytes.Buffer, done chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	got, done = &bytes.Buffer{}, make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		caps := baseCapabilities | wire.LocalFiles | wire.LongPassword
		h := wire.Handshake{Version: "5.7.0-asking", ThreadID: 1, Salt: []byte("01234567890123456789"), Capabilities: caps, Charset: wire.CharsetUTF8MB4, AuthPlugin: "mysql_native_password"}
		r, w := wire.NewReader(c, 0), wire.NewWriter(c)
		ok := []byte{0, 0, 0, 2, 0, 0, 0}
		if w.Write(h.Append(nil)) != nil {
			return
		}
		for {
			r.AnySeq = true
			packet, err := r.Next()
			if err != nil {
				return
			}
			w.Seq = r.Seq
			if len(packet) == 0 || packet[0] != byte(wire.ComQuery) || strings.Contains(string(packet), "SET ") {
				if w.Write(ok) != nil { // the login
					return
				}
				continue
			}
			if w.Write(append([]byte{wire.HeaderLocalInfile}, file...)) != nil {
				return
			}
			for {
				packet, err := r.Next()
				if err != nil {
					return
				}
				if len(packet) == 0 {
					break
				}
				got.Write(packet)
			}
			w.Seq = r.Seq
			if w.Write(ok) != nil {
				return
			}
		}
	}()
	return l.Addr().(*net.TCPAddr), got, done
}

// A server that asks for files gets nothing but the reader of the statement, and that only under its name.
func TestHostileServerGetsNoFile(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		do         func(c *conn) error
		want, err  string
	}{
		{"what was offered", "x", func(c *conn) error { _, err := c.LoadInfile(loadText, "x", strings.NewReader("1\ta\n")); return err }, "1\ta\n", ""},
		{"another file", "/etc/passwd", func(c *conn) error { _, err := c.LoadInfile(loadText, "x", strings.NewReader("1\ta\n")); return err }, "", "asks for the file"},
		{"in a query", "/etc/hostname", func(c *conn) error { _, err := c.Query("SELECT 1", nil); return err }, "", ""},
		{"after a load", "x", func(c *conn) error {
			if _, err := c.LoadInfile(loadText, "x", strings.NewReader("1\n")); err != nil {
				return err
			}
			_, err := c.Query("SELECT 1", nil)
			return err
		}, "1\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			addr, got, done := askingServer(t, tc.file)
			cl := newClientFor(t, Config{Hosts: []string{"127.0.0.1"}, Ports: []int{addr.Port}, User: "u", LocalInfile: true})
			c := cl.connect(t)
			err := tc.do(c)
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
			_ = c.Close()
			<-done
			if got.String() != tc.want {
				t.Errorf("the server got %q, want %q", got, tc.want)
			}
		})
	}
}
