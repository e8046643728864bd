package nullserver

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"deltabench/internal/wire"
)

// writePEM writes the test authority and a certificate to files.
func writePEM(t *testing.T) (ca, cert, key string) {
	t.Helper()
	dir := t.TempDir()
	certPEM, keyPEM, err := authority().Issue(CertOptions{Client: true})
	if err != nil {
		t.Fatal(err)
	}
	ca, cert, key = filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, data := range map[string][]byte{ca: authority().PEM, cert: certPEM, key: keyPEM} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return ca, cert, key
}

// client is a bare client: it logs in by mysql_native_password and sends packets as it is told.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *wire.Reader
	caps wire.Capability
}

const clientCaps = wire.Protocol41 | wire.SecureConnection | wire.PluginAuth | wire.MultiStatements | wire.MultiResults |
	wire.Transactions | wire.DeprecateEOF | wire.MariaDBCacheMetadata

// dial connects and logs in with the capabilities of want that the server offers.
func dial(t *testing.T, addr net.Addr, want wire.Capability) *client {
	t.Helper()
	conn, err := net.Dial(addr.Network(), addr.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, conn: conn, r: wire.NewReader(conn, 0)}
	var h wire.Handshake
	if err := h.Decode(c.next()); err != nil {
		t.Fatal(err)
	}
	c.caps = want & h.Capabilities
	resp := wire.HandshakeResponse{Capabilities: c.caps, User: "ann", AuthPlugin: h.AuthPlugin}
	c.write(c.packet(1, resp.Append(nil)))
	c.r.Seq = 2
	var ok wire.OK
	if err := ok.Decode(c.next(), c.caps); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *client) packet(seq byte, payload []byte) []byte {
	p, _ := wire.AppendPacket(nil, seq, payload)
	return p
}

func (c *client) write(b []byte) {
	c.t.Helper()
	if _, err := c.conn.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) next() []byte {
	c.t.Helper()
	p, err := c.r.Next()
	if err != nil {
		c.t.Fatal(err)
	}
	return append([]byte(nil), p...)
}

// command sends one and expects a reply.
func (c *client) command(cmd wire.Command, body string) {
	c.t.Helper()
	c.write(c.packet(0, append([]byte{byte(cmd)}, body...)))
	c.r.Seq = 1
}

// response reads a whole response and returns the number of rows, and the error if there is one.
func (c *client) response() (rows int64, failure *wire.ERR, err error) {
	c.t.Helper()
	var r wire.Response
	r.Start(c.caps)
	for !r.Done() {
		p, err := c.r.Next()
		if err != nil {
			return rows, nil, err
		}
		ev, err := r.Next(p)
		if err != nil {
			return rows, nil, err
		}
		switch ev {
		case wire.EventRow:
			rows++
		case wire.EventError:
			failure = &wire.ERR{}
			if err := failure.Decode(p); err != nil {
				return rows, nil, err
			}
		}
	}
	return rows, failure, nil
}

// mustRows expects a response of n rows.
func (c *client) mustRows(n int64) {
	c.t.Helper()
	rows, failure, err := c.response()
	if err != nil || failure != nil || rows != n {
		c.t.Fatalf("%d rows, error packet %+v, error %v; want %d rows", rows, failure, err, n)
	}
}

// atEnd expects the connection to be closed.
func (c *client) atEnd() {
	c.t.Helper()
	if n, err := io.Copy(io.Discard, c.conn); err != nil || n > 0 {
		c.t.Fatalf("%d bytes, error %v; want the end of the stream", n, err)
	}
}
