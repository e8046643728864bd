package nullserver

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"deltabench/internal/wire"
)

func listenFast(t *testing.T, o Options) *Fast {
	t.Helper()
	f, err := ListenFast(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestFastWithIndependentClient(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		o    Options
		unix bool
	}{
		{"plain", Options{}, false},
		{"three loops", Options{Loops: 3}, false},
		{"unix socket", Options{}, true},
		{"MySQL", Options{MySQL: true}, false},
		{"no metadata cache", Options{NoMetadataCache: true}, false},
		{"EOF packets", Options{NoDeprecateEOF: true}, false},
		{"EOF packets, no metadata cache", Options{NoDeprecateEOF: true, NoMetadataCache: true}, false},
		{"delay", Options{Delay: time.Millisecond, Jitter: time.Millisecond}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			network := "tcp"
			if tt.unix {
				network, tt.o.Listen = "unix", filepath.Join(t.TempDir(), "s")
			}
			f := listenFast(t, tt.o)
			var wg sync.WaitGroup
			for range 4 {
				db := open(t, network, f.Addr().String(), nil)
				wg.Go(func() { exercise(t, db) })
			}
			wg.Wait()
			if st := f.Stats(); st.Connections != 4 || st.Queries != 4*(2+3+1+1+2) {
				t.Errorf("stats %+v, want 4 connections and 36 queries", st)
			}
		})
	}
}

// prepare returns the id of a prepared statement.
func (c *client) prepare(sql string) uint32 {
	c.t.Helper()
	c.command(wire.ComStmtPrepare, sql)
	var ok wire.PrepareOK
	if err := ok.Decode(c.next()); err != nil {
		c.t.Fatal(err)
	}
	for range ok.Following(c.caps) {
		c.next()
	}
	return ok.ID
}

func TestFastCommands(t *testing.T) {
	t.Parallel()
	f := listenFast(t, Options{})
	c := dial(t, f.Addr(), clientCaps)
	id := c.prepare("SELECT c FROM t WHERE id BETWEEN ? AND ?")
	execute := func(id uint32) string {
		return string(wire.AppendExecute(nil, id, []wire.Param{wire.IntParam(1), wire.IntParam(2)}, true)[1:])
	}
	c.command(wire.ComStmtExecute, execute(id))
	c.mustRows(100)
	c.command(wire.ComStmtExecute, execute(0xffffffff))
	c.mustRows(100)
	second := c.prepare("SELECT c FROM t WHERE id=?")
	c.write(c.packet(0, binary.LittleEndian.AppendUint32([]byte{byte(wire.ComStmtClose)}, id))) // no reply
	if again := c.prepare("UPDATE t SET k=?"); again != id || second == id {
		t.Errorf("statement ids %d, %d, and %d after the first was closed", id, second, again)
	}
	c.command(wire.ComStmtExecute, execute(id))
	c.mustRows(0)
	for _, cmd := range []wire.Command{wire.ComPing, wire.ComInitDB, wire.ComSetOption, wire.ComStmtReset, wire.ComResetConnection} {
		c.command(cmd, "\x00\x00")
		c.mustRows(0)
	}
	for name, tt := range map[string]struct {
		cmd  wire.Command
		body string
		want uint16
	}{
		"unknown command":   {0x1e, "", 1047},
		"closed by a reset": {wire.ComStmtExecute, execute(second), 1243},
		"statement 0":       {wire.ComStmtExecute, execute(0), 1243},
		"short execute":     {wire.ComStmtExecute, "\x01", 1835},
	} {
		c.command(tt.cmd, tt.body)
		_, failure, err := c.response()
		if err != nil || failure == nil || failure.Code != tt.want {
			t.Errorf("%s: error packet %+v, error %v, want code %d", name, failure, err, tt.want)
		}
	}
	c.write(c.packet(0, []byte{byte(wire.ComQuit)}))
	c.atEnd()
}

// Commands that come in pieces, several at once, and larger than what is kept.
func TestFastPieces(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {Delay: time.Millisecond, Jitter: 3 * time.Millisecond}} {
		f := listenFast(t, o)
		c := dial(t, f.Addr(), clientCaps)
		query := func(sql string) []byte { return c.packet(0, append([]byte{byte(wire.ComQuery)}, sql...)) }
		point, ranged := query("SELECT c FROM t WHERE id=1"), query("SELECT c FROM t WHERE id BETWEEN 1 AND 2")
		for i := range len(point) - 1 {
			c.write(point[:i+1])
			runtime.Gosched()
			c.write(point[i+1:])
			c.r.Seq = 1
			c.mustRows(1)
		}
		// Pipelined, in order whatever the delays.
		var all []byte
		for range 50 {
			all = append(append(all, point...), ranged...)
		}
		c.write(append(all, c.packet(0, []byte{byte(wire.ComPing)})...))
		for range 50 {
			c.r.Seq = 1
			c.mustRows(1)
			c.r.Seq = 1
			c.mustRows(100)
		}
		c.r.Seq = 1
		c.mustRows(0)
		for _, n := range []int{shortPacket - 1, shortPacket, shortPacket + 1, 300 << 10, 1<<24 - 2, 1<<24 - 1, 1 << 24, 1<<25 - 2} {
			insert := "INSERT INTO t VALUES " + strings.Repeat("x", n)
			go func() { _, _ = c.conn.Write(append(query(insert[:n-1]), point...)) }() // an error shows in the reading
			c.r.Seq = byte(1 + n/wire.MaxFragment)                                     // replies count on from the last fragment
			c.mustRows(0)
			c.r.Seq = 1
			c.mustRows(1)
		}
	}
}

// A client that reads slowly gets all; one that reads nothing for too long is disconnected.
func TestFastSlowReader(t *testing.T) {
	t.Parallel()
	f := listenFast(t, Options{Answers: Answers{RangeRows: 10000}})
	c := dial(t, f.Addr(), clientCaps)
	const replies = 20 // of 1.2 MB
	for range replies {
		c.command(wire.ComQuery, "SELECT c FROM t WHERE id BETWEEN 1 AND 2")
	}
	other := dial(t, f.Addr(), clientCaps) // is not held up
	other.command(wire.ComPing, "")
	other.mustRows(0)
	for range replies {
		c.r.Seq = 1
		time.Sleep(time.Millisecond)
		// Sequence numbers go round with 10,000 rows.
		c.mustRows(10000)
	}
	for range 2 * maxUnsent / (1 << 20) {
		if _, err := c.conn.Write(c.packet(0, append([]byte{byte(wire.ComQuery)}, "SELECT c FROM t WHERE id BETWEEN 1 AND 2"...))); err != nil {
			break // disconnected already
		}
	}
	if _, err := io.Copy(io.Discard, c.conn); isTimeout(err) {
		t.Error("the client was not disconnected")
	}
}

func TestFastDelay(t *testing.T) {
	t.Parallel()
	const delay = 5 * time.Millisecond
	f := listenFast(t, Options{Delay: delay})
	c := dial(t, f.Addr(), clientCaps)
	for range 10 {
		before := time.Now()
		c.command(wire.ComQuery, "BEGIN")
		c.mustRows(0)
		if d := time.Since(before); d < delay {
			t.Errorf("reply after %v, want at least %v", d, delay)
		}
	}
}

// Not parallel: it counts goroutines.
func TestFastCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	f, err := ListenFast(Options{Loops: 2, Delay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	var clients []*client
	for range 3 {
		c := dial(t, f.Addr(), clientCaps)
		c.command(wire.ComQuery, "BEGIN")
		clients = append(clients, c)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range clients {
		if _, err := c.conn.Read(make([]byte, 1)); err == nil {
			t.Error("a reply after Close")
		}
	}
	waitFor(t, "the end of the goroutines", func() bool { return runtime.NumGoroutine() <= before })
}

// The hot path allocates nothing. Not parallel: it counts allocations.
func TestFastAllocations(t *testing.T) {
	s := &session{shelf: newShelf(Answers{}), login: true, reply: func([]byte) {}, control: func([]byte) {}, queries: func() {}}
	packet := func(p []byte) []byte { b, _ := wire.AppendPacket(nil, 0, p); return b }
	s.feed(packet(append([]byte{byte(wire.ComStmtPrepare)}, "SELECT c FROM t WHERE id=?"...)))
	for name, b := range map[string][]byte{
		"execute": packet(wire.AppendExecute(nil, 1, []wire.Param{wire.IntParam(5)}, false)),
		"query":   packet(append([]byte{byte(wire.ComQuery)}, "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN 100 AND 199 ORDER BY c"...)),
		"update":  packet(append([]byte{byte(wire.ComQuery)}, "UPDATE sbtest1 SET k=k+1 WHERE id=5"...)),
	} {
		s.feed(b)
		if n := testing.AllocsPerRun(100, func() { s.feed(b) }); n > 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

// The installed sysbench runs its transactions against the server, prepared and as text.
func TestFastWithSysbench(t *testing.T) {
	t.Parallel()
	path := program(t, "sysbench")
	f := listenFast(t, Options{})
	host, port, err := net.SplitHostPort(f.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	queries := regexp.MustCompile(`queries: +(\d+)`)
	var sum uint64
	for _, test := range []string{
		"oltp_read_write", "oltp_point_select", "oltp_read_only", "oltp_write_only", "oltp_update_index", "oltp_update_non_index",
		"oltp_delete", "oltp_insert", "select_random_points", "select_random_ranges",
	} {
		for _, mode := range []string{"auto", "disable"} {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			out, err := exec.CommandContext(ctx, path, test, "--mysql-host="+host, "--mysql-port="+port, "--mysql-user=u",
				"--mysql-password=p", "--tables=2", "--table-size=1000", "--threads=3", "--events=60", "--time=20", "--db-ps-mode="+mode, "run").CombinedOutput()
			cancel()
			if err != nil {
				t.Fatalf("%s, ps mode %s: %v\n%s", test, mode, err, out)
			}
			m := queries.FindSubmatch(out)
			if m == nil || !strings.Contains(string(out), "ignored errors:                      0 ") {
				t.Fatalf("%s, ps mode %s:\n%s", test, mode, out)
			}
			var n uint64
			if _, err := fmt.Sscan(string(m[1]), &n); err != nil || n < 60 {
				t.Errorf("%s, ps mode %s: %d queries, error %v", test, mode, n, err)
			}
			sum += n
		}
	}
	if st := f.Stats(); st.Queries != sum {
		t.Errorf("the server counts %d queries, sysbench %d", st.Queries, sum)
	}
}
