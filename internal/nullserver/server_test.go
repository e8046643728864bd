package nullserver

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"deltabench/internal/auth"
	"deltabench/internal/wire"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	const sql = "SELECT c FROM sbtest1 WHERE id=1"
	whole := func(c *client) []byte { // the reply without a fault
		e := encoder{caps: c.caps, seq: 1, status: wire.StatusAutocommit}
		if err := e.reply(Answers{}.Answer([]byte(sql)), false, true); err != nil {
			t.Fatal(err)
		}
		return e.dst
	}
	for _, tt := range []struct {
		name  string
		fault Fault
		check func(t *testing.T, c *client)
	}{
		{"close", Fault{Kind: FaultClose}, func(t *testing.T, c *client) { c.atEnd() }},
		{"reset", Fault{Kind: FaultClose, Reset: true}, func(t *testing.T, c *client) {
			if _, err := c.conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("error %v, want a reset", err)
			}
		}},
		{"half", Fault{Kind: FaultCut}, func(t *testing.T, c *client) {
			got, err := io.ReadAll(c.conn)
			if want := whole(c); err != nil || !bytes.Equal(got, want[:len(want)/2]) {
				t.Errorf("%d bytes, error %v, want the first %d", len(got), err, len(want)/2)
			}
		}},
		{"cut in the header", Fault{Kind: FaultCut, N: 3}, func(t *testing.T, c *client) {
			if _, err := c.r.Next(); err != io.ErrUnexpectedEOF {
				t.Errorf("error %v, want %v", err, io.ErrUnexpectedEOF)
			}
		}},
		{"cut behind the end", Fault{Kind: FaultCut, N: 1 << 20}, func(t *testing.T, c *client) {
			c.mustRows(1)
			c.atEnd()
		}},
		{"hang up", Fault{Kind: FaultHangUp}, func(t *testing.T, c *client) {
			c.mustRows(1)
			c.atEnd()
		}},
		{"garbage", Fault{Kind: FaultGarbage, N: 100}, func(t *testing.T, c *client) {
			got := make([]byte, 100)
			if _, err := io.ReadFull(c.conn, got); err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(got, whole(c)[:100]) {
				t.Error("no garbage")
			}
		}},
		{"sequence", Fault{Kind: FaultSequence}, func(t *testing.T, c *client) {
			var order *wire.SequenceError
			if _, err := c.r.Next(); !errors.As(err, &order) || order.Got != 2 || order.Want != 1 {
				t.Errorf("error %v, want sequence number 2 for 1", err)
			}
		}},
		{"split", Fault{Kind: FaultSplit, Pause: time.Microsecond}, func(t *testing.T, c *client) { c.mustRows(1) }},
		{"length", Fault{Kind: FaultLength}, func(t *testing.T, c *client) {
			h := make([]byte, 4)
			if _, err := io.ReadFull(c.conn, h); err != nil || packetLen(h) != 0xfffffe {
				t.Errorf("header % x, error %v", h, err)
			}
		}},
		{"silence", Fault{Kind: FaultSilence}, func(t *testing.T, c *client) {
			c.command(wire.ComPing, "") // the connection lives
			c.mustRows(0)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := listen(t, Options{Fault: func(q *Query) Fault {
				if q.SQL == sql {
					return tt.fault
				}
				return Fault{}
			}})
			c := dial(t, s.Addr(), clientCaps)
			c.command(wire.ComQuery, "BEGIN")
			c.mustRows(0)
			c.command(wire.ComQuery, sql)
			tt.check(t, c)
			waitFor(t, "the records", func() bool { return len(s.Records()) >= 2 })
			if r := s.Records()[1]; r.Fault != tt.fault.Kind || r.SQL != sql {
				t.Errorf("record %+v, want fault %d", r, tt.fault.Kind)
			}
		})
	}
}

// A reply cut at every byte: the client sees the end of the stream, never a whole reply.
func TestFaultCutEverywhere(t *testing.T) {
	t.Parallel()
	var at atomic.Int64
	s := listen(t, Options{Fault: func(q *Query) Fault {
		if q.Command == wire.ComQuery {
			return Fault{Kind: FaultCut, N: int(at.Load())}
		}
		return Fault{}
	}})
	whole := encoder{seq: 1, caps: clientCaps & s.opts.capabilities(), status: wire.StatusAutocommit}
	if err := whole.reply(Answers{}.Answer([]byte("SELECT SUM(k) FROM t")), false, true); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(whole.dst); n++ {
		at.Store(int64(n))
		c := dial(t, s.Addr(), clientCaps)
		c.command(wire.ComQuery, "SELECT SUM(k) FROM t")
		if _, _, err := c.response(); err != io.EOF && err != io.ErrUnexpectedEOF {
			t.Fatalf("cut at %d: error %v, want the end of the stream", n, err)
		}
		c.conn.Close()
	}
}

func TestLoginFaults(t *testing.T) {
	t.Parallel()
	s := listen(t, Options{
		Refuse: func(n uint32) *wire.ERR {
			if n == 1 {
				return &wire.ERR{Code: 1040, State: "08004", Message: "Too many connections"}
			}
			return nil
		},
		Fault: func(q *Query) Fault {
			if q.Login() && q.Connection == 2 {
				return Fault{Kind: FaultClose}
			}
			return Fault{}
		},
	})
	for n, want := range []string{"Too many connections", "invalid connection", ""} {
		db := open(t, "tcp", s.Addr().String(), nil)
		err := db.Ping()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("connection %d: error %v, want %q", n+1, err, want)
		}
		db.Close()
	}
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no sign of %s", what)
		}
	}
}

func TestStallAndResume(t *testing.T) {
	t.Parallel()
	s := listen(t, Options{})
	c := dial(t, s.Addr(), clientCaps)
	s.Stall()
	c.command(wire.ComPing, "")
	fresh, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	for _, conn := range []net.Conn{c.conn, fresh} {
		if err := conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if n, err := conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ETIMEDOUT) && !isTimeout(err) {
			t.Fatalf("read %d bytes, error %v during a stall", n, err)
		}
		if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
	}
	resumed := s.Now()
	s.Resume()
	c.mustRows(0)
	waitFor(t, "the record", func() bool { return len(s.Records()) == 1 })
	if r := s.Records()[0]; r.Arrived >= resumed || r.Replied < resumed {
		t.Errorf("arrived %d, replied %d, want them before and after %d", r.Arrived, r.Replied, resumed)
	}
	if _, err := io.ReadFull(fresh, make([]byte, 10)); err != nil {
		t.Errorf("greeting after the stall: %v", err)
	}
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

func TestStallBetween(t *testing.T) {
	t.Parallel()
	// A machine that is busy elsewhere may let the client sleep through a whole stall: then a longer one is tried.
	for length := 80 * time.Millisecond; ; length *= 4 {
		switch held := commandsHeld(t, length); {
		case held > 1:
			t.Fatalf("%d commands came during the stall, want the one that was held", held)
		case held == 1:
			return
		case length > patience:
			t.Fatalf("no command came during a stall of %v", length)
		}
	}
}

// commandsHeld says how many commands came to a server during a stall of that length while a client sent one after the other; each must
// have been answered after it.
func commandsHeld(t *testing.T, length time.Duration) int {
	t.Helper()
	s := listen(t, Options{})
	c := dial(t, s.Addr(), clientCaps)
	from := time.Now().Add(length / 2)
	to := from.Add(length)
	s.StallBetween(from, to)
	for time.Now().Before(to) {
		c.command(wire.ComPing, "")
		c.mustRows(0)
		time.Sleep(time.Millisecond)
	}
	waitFor(t, "a reply after the stall", func() bool {
		c.command(wire.ComPing, "")
		c.mustRows(0)
		r := s.Records()
		return r[len(r)-1].Arrived > int64(to.Sub(s.Started()))
	})
	f, u := int64(from.Sub(s.Started())), int64(to.Sub(s.Started()))
	held := 0
	for _, r := range s.Records() {
		if r.Arrived >= f && r.Arrived < u {
			held++
			if r.Replied < u {
				t.Errorf("arrived %d, replied %d, within the stall from %d to %d", r.Arrived, r.Replied, f, u)
			}
		}
	}
	return held
}

func TestDelay(t *testing.T) {
	t.Parallel()
	const delay = 20 * time.Millisecond
	for _, o := range []Options{
		{Delay: delay, Jitter: time.Millisecond},
		{DelayFunc: func(q *Query) time.Duration {
			if q.Command == wire.ComQuery {
				return delay
			}
			return 0
		}},
	} {
		s := listen(t, o)
		c := dial(t, s.Addr(), clientCaps)
		for range 5 {
			before := time.Now()
			c.command(wire.ComQuery, "BEGIN")
			c.mustRows(0)
			if d := time.Since(before); d < delay {
				t.Errorf("reply after %v, want at least %v", d, delay)
			}
		}
		waitFor(t, "the records", func() bool { return len(s.Records()) == 5 })
		for _, r := range s.Records() {
			if d := time.Duration(r.Replied - r.Arrived); d < delay || d > patience {
				t.Errorf("recorded %v, want at least %v", d, delay)
			}
		}
	}
}

func TestCloseAll(t *testing.T) {
	t.Parallel()
	s := listen(t, Options{})
	a, b := dial(t, s.Addr(), clientCaps), dial(t, s.Addr(), clientCaps)
	s.CloseAll()
	a.atEnd()
	b.atEnd()
	c := dial(t, s.Addr(), clientCaps)
	s.ResetAll()
	if _, err := c.conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("error %v, want a reset", err)
	}
	waitFor(t, "the end of all connections", func() bool { return s.Stats().Open == 0 })
	if st := s.Stats(); st.Connections != 3 || st.Logins != 3 {
		t.Errorf("stats %+v, want 3 connections and logins", st)
	}
}

// Close ends every goroutine, also those that hold replies back. Not parallel: it counts goroutines.
func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := Listen(Options{Delay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		c := dial(t, s.Addr(), clientCaps)
		if i > 0 {
			c.command(wire.ComQuery, "BEGIN") // waits for an hour
		}
	}
	s.Stall()
	c, err := net.Dial("tcp", s.Addr().String()) // waits for a greeting
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	waitFor(t, "all connections", func() bool { return s.Stats().Connections == 4 })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if n := s.Stats().Open; n != 0 {
		t.Errorf("%d connections are open", n)
	}
	waitFor(t, "the end of the goroutines", func() bool { return runtime.NumGoroutine() <= before })
}

func TestCommands(t *testing.T) {
	t.Parallel()
	s := listen(t, Options{SessionTrack: true})
	c := dial(t, s.Addr(), clientCaps|wire.SessionTrack)
	for _, cmd := range []wire.Command{wire.ComPing, wire.ComInitDB, wire.ComResetConnection} {
		c.command(cmd, "x")
		var ok wire.OK
		if err := ok.Decode(c.next(), c.caps); err != nil || ok.Status&wire.StatusSessionState == 0 {
			t.Errorf("command %#x: %+v, %v, want OK with a change of state", cmd, ok, err)
		}
	}
	for name, tt := range map[string]struct {
		cmd  wire.Command
		body string
		want uint16
	}{
		"unknown command":    {0x1e, "", 1047},
		"unknown statement":  {wire.ComStmtExecute, "\x09\x00\x00\x00\x00\x01\x00\x00\x00", 1243},
		"reset of no one":    {wire.ComStmtReset, "\x09\x00\x00\x00", 1243},
		"short execute":      {wire.ComStmtExecute, "\x01", 1243},
		"short change user":  {wire.ComChangeUser, "bob", 1835},
		"short change user2": {wire.ComChangeUser, "bob\x00\x05", 1835},
	} {
		c.command(tt.cmd, tt.body)
		_, failure, err := c.response()
		if err != nil || failure == nil || failure.Code != tt.want {
			t.Errorf("%s: error packet %+v, error %v, want code %d", name, failure, err, tt.want)
		}
	}
	c.command(wire.ComStatistics, "")
	if p := c.next(); !bytes.HasPrefix(p, []byte("Uptime")) {
		t.Errorf("statistics: %q", p)
	}
	c.command(wire.ComSetOption, "\x00\x00")
	if p := c.next(); p[0] != wire.HeaderEOF {
		t.Errorf("set option: % x", p)
	}
	c.command(wire.ComChangeUser, "bob\x00\x00db2\x00")
	c.mustRows(0)
	if l := s.Logins(); len(l) != 2 || l[1].User != "bob" || l[1].DB != "db2" {
		t.Errorf("logins %+v", l)
	}
	// Out of order: an error, then the end.
	c.write(c.packet(5, []byte{byte(wire.ComPing)}))
	c.r.Seq = 0
	p, err := c.r.Next()
	var failure wire.ERR
	if err != nil || failure.Decode(p) != nil || failure.Code != 1156 {
		t.Errorf("out of order: % x, %v, want error 1156", p, err)
	}
	c.atEnd()
}

// Another user logs in on the same connection, by an auth switch.
func TestChangeUserAuthenticates(t *testing.T) {
	t.Parallel()
	s := listen(t, Options{Password: "pw", Auth: auth.Ed25519, GreetingAuth: auth.NativePassword, Listen: filepath.Join(t.TempDir(), "s")})
	for _, tt := range []struct {
		password string
		ok       bool
	}{{"pw", true}, {"no", false}} {
		// go-sql-driver has no change of user: the packets are made here.
		conn, err := net.Dial("unix", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		r := wire.NewReader(conn, 0)
		answer := func(seq byte, payload []byte) []byte {
			t.Helper()
			b, next := wire.AppendPacket(nil, seq, payload)
			if _, err := conn.Write(b); err != nil {
				t.Fatal(err)
			}
			r.Seq = next
			p, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			return append([]byte(nil), p...)
		}
		sign := func(p []byte, password string) []byte {
			t.Helper()
			var sw wire.AuthSwitch
			if err := sw.Decode(p); err != nil {
				t.Fatal(err)
			}
			a, err := auth.NewClient(sw.Plugin, auth.ClientOptions{Password: password})
			if err != nil {
				t.Fatal(err)
			}
			reply, err := a.Start(sw.Data)
			if err != nil {
				t.Fatal(err)
			}
			return reply
		}
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		h := wire.HandshakeResponse{Capabilities: clientCaps, User: "ann", AuthPlugin: auth.NativePassword}
		p := answer(1, h.Append(nil))
		if p = answer(3, sign(p, "pw")); p[0] != wire.HeaderOK {
			t.Fatalf("login: %q", p)
		}
		p = answer(0, []byte("\x11bob\x00\x00db\x00\x2d\x00client_ed25519\x00"))
		p = answer(2, sign(p, tt.password))
		if ok := p[0] == wire.HeaderOK; ok != tt.ok {
			t.Errorf("change of user with password %q: %q", tt.password, p)
		}
	}
}

func TestOptionalMetadata(t *testing.T) {
	t.Parallel()
	s := listen(t, Options{OptionalMetadata: true, MySQL: true})
	c := dial(t, s.Addr(), wire.Protocol41|wire.SecureConnection|wire.PluginAuth|wire.DeprecateEOF|wire.OptionalResultsetMetadata)
	count := func() int { // packets of a result set of one row
		c.command(wire.ComQuery, "SELECT id, k FROM sbtest1 WHERE id=1")
		n := 1
		for p := c.next(); p[0] != wire.HeaderEOF; p = c.next() {
			n++
		}
		return n
	}
	if n := count(); n != 1+2+1+1 {
		t.Errorf("%d packets with metadata, want 5", n)
	}
	c.command(wire.ComQuery, "SET resultset_metadata='NONE'")
	c.mustRows(0)
	if n := count(); n != 1+1+1 {
		t.Errorf("%d packets without metadata, want 3", n)
	}
}

func TestOptionsValidate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Delay: -1}, "must not be negative"},
		{Options{Loops: -1}, "-1 event loops"},
		{Options{Auth: "dialog"}, "dialog"},
		{Options{Compression: []wire.Algorithm{"lz4"}}, "lz4"},
		{Options{RequireTLS: true}, "not configured"},
	} {
		if _, err := Listen(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.o, err, tt.want)
		}
	}
	if _, err := Listen(Options{Listen: filepath.Join(t.TempDir(), "missing", "s")}); err == nil {
		t.Error("a socket in a missing directory was made")
	}
	if _, err := ListenFast(Options{Password: "x", TLS: serverTLS(t)}); err == nil || !strings.Contains(err.Error(), "no Password, TLS") {
		t.Errorf("fast: error %v, want one that names Password and TLS", err)
	}
}

// Both algorithms, in frames as the client's side of package wire makes them.
func TestCompression(t *testing.T) {
	t.Parallel()
	s := listen(t, Options{Compression: []wire.Algorithm{wire.Zstd, wire.Zlib}})
	for algorithm, flag := range map[wire.Algorithm]wire.Capability{wire.Zlib: wire.Compress, wire.Zstd: wire.ZstdCompression} {
		c := dial(t, s.Addr(), clientCaps|flag)
		z, err := wire.NewCompressed(c.conn, algorithm, wire.DefaultZstdLevel)
		if err != nil {
			t.Fatal(err)
		}
		c.r.Reset(z, 0)
		for range 3 {
			z.Seq = 0
			if _, err := z.Write(c.packet(0, []byte("\x03SELECT c FROM t WHERE id BETWEEN 1 AND 100"))); err != nil {
				t.Fatal(err)
			}
			c.r.Seq = 1
			c.mustRows(100)
		}
		if l := s.Logins(); l[len(l)-1].Compression != algorithm {
			t.Errorf("login %+v, want %s", l[len(l)-1], algorithm)
		}
	}
}

// Certificates are good for what they were made for, and for nothing else.
func TestCertificates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		o    CertOptions
		host string
		want string
	}{
		{"good", CertOptions{}, "127.0.0.1", ""},
		{"other host", CertOptions{Hosts: []string{"db.example"}}, "127.0.0.1", "doesn't contain any IP SANs"},
		{"expired", CertOptions{Expired: true}, "localhost", "expired"},
		{"a client's", CertOptions{Client: true}, "localhost", "key usage"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			conf, err := authority().ServerTLS(tt.o)
			if err != nil {
				t.Fatal(err)
			}
			s := listen(t, Options{TLS: conf})
			db := open(t, "tcp", s.Addr().String(), func(c *mysql.Config) {
				c.TLS = &tls.Config{RootCAs: authority().Pool(), ServerName: tt.host}
			})
			err = db.Ping()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
