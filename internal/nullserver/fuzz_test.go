package nullserver

import (
	"io"
	"net"
	"testing"
	"time"

	"deltabench/internal/auth"
	"deltabench/internal/wire"
)

// conversation is what a well-behaved client sends, for fuzzing to start from.
func conversation() []byte {
	var b []byte
	add := func(seq byte, payload []byte) { b, _ = wire.AppendPacket(b, seq, payload) }
	h := wire.HandshakeResponse{Capabilities: clientCaps, User: "ann", AuthPlugin: auth.NativePassword}
	add(1, h.Append(nil))
	add(0, append([]byte{byte(wire.ComQuery)}, "SELECT c FROM t WHERE id=1"...))
	add(0, append([]byte{byte(wire.ComStmtPrepare)}, "SELECT c, SUM(k) FROM t WHERE id IN (?, ?)"...))
	add(0, wire.AppendExecute(nil, 1, []wire.Param{wire.IntParam(5), {Type: wire.TypeString, Bytes: []byte("x")}}, true))
	add(0, []byte{byte(wire.ComStmtSendLongData), 1, 0, 0, 0, 0, 0, 'x'})
	add(0, []byte{byte(wire.ComStmtClose), 1, 0, 0, 0})
	add(0, []byte("\x11bob\x00\x00db\x00"))
	add(0, []byte{byte(wire.ComPing)})
	return b
}

// FuzzSession feeds the fast server's protocol with any bytes, in two pieces: no panic, bounded memory, and the same
// replies wherever the bytes are cut.
func FuzzSession(f *testing.F) {
	f.Add(conversation(), uint16(50))
	f.Add([]byte{0xff, 0xff, 0xff, 0}, uint16(2))
	f.Add(append([]byte{1, 0x80, 0, 0}, make([]byte, 0x8001+9)...), uint16(0x8003))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		run := func(pieces ...[]byte) (out []byte) {
			take := func(b []byte) {
				if len(out) < 1<<22 {
					out = append(out, b...)
				}
			}
			s := &session{shelf: newShelf(Answers{RangeRows: 3}), offered: Options{}.capabilities(), reply: take, control: take, queries: func() {}}
			for _, p := range pieces {
				s.feed(p)
				if len(s.in) > shortPacket+wire.HeaderSize {
					t.Fatalf("%d bytes are kept", len(s.in))
				}
			}
			return out
		}
		at := min(int(cut), len(data))
		if a, b := run(data), run(data[:at], data[at:]); string(a) != string(b) {
			t.Errorf("replies differ when cut at %d:\n%q\n%q", at, a, b)
		}
	})
}

// FuzzServer feeds the scriptable server with any bytes after its greeting: no panic, and it ends when the client does.
func FuzzServer(f *testing.F) {
	for mode := range byte(4) {
		f.Add(conversation(), mode)
	}
	var servers []*Server
	for _, o := range []Options{
		{SessionTrack: true},
		{Auth: auth.CachingSHA2Password, Password: "pw", RSAKey: rsaKey(), Compression: []wire.Algorithm{wire.Zlib, wire.Zstd}},
		{QueryAttributes: true, OptionalMetadata: true, MySQL: true},
		{Compression: []wire.Algorithm{wire.Zlib, wire.Zstd}},
	} {
		o.Records = 1
		s, err := New(o)
		if err != nil {
			f.Fatal(err)
		}
		servers = append(servers, s)
	}
	f.Fuzz(func(t *testing.T, data []byte, mode byte) {
		s := servers[int(mode)%len(servers)]
		client, server := net.Pipe()
		done := make(chan struct{})
		go func() {
			s.ServeConn(server)
			close(done)
		}()
		go func() { _, _ = io.Copy(io.Discard, client) }() // ends with the connection
		_ = client.SetWriteDeadline(time.Now().Add(patience))
		_, _ = client.Write(data) // fails when the server has seen enough
		client.Close()
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatal("the server does not end")
		}
	})
}
