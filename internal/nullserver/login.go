package nullserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"deltabench/internal/auth"
	"deltabench/internal/wire"
)

// maxLoginPacket bounds what a client that is not logged in can make the server read.
const maxLoginPacket = 1 << 16

// loginTimeout bounds the TLS handshake.
const loginTimeout = 30 * time.Second

var errLogin = errors.New("login refused")

// logIn runs the connection phase. After an error the connection is to be closed.
func (c *conn) logIn() error {
	o := &c.server.opts
	if o.Refuse != nil {
		if e := o.Refuse(c.number); e != nil {
			return c.refuse(e.Code, e.State, e.Message)
		}
	}
	greeter, err := auth.NewServer(o.GreetingAuth, auth.ServerOptions{})
	if err != nil {
		return err
	}
	salt := greeter.Challenge()
	if len(salt) == 0 { // this method has none, but the greeting needs one
		filler, err := auth.NewServer(auth.NativePassword, auth.ServerOptions{})
		if err != nil {
			return err
		}
		salt = filler.Challenge()
	}
	g := c.server.greeting
	g.ThreadID, g.Salt = c.number, salt
	if err := c.send(g.Append); err != nil {
		return err
	}
	var h wire.HandshakeResponse
	p, err := c.receive()
	if err != nil {
		return err
	}
	wantsTLS, err := h.Decode(p)
	if err == nil && wantsTLS {
		if o.TLS == nil {
			return c.refuse(1043, "08S01", "Bad handshake")
		}
		if err := c.startTLS(); err != nil {
			return err
		}
		if p, err = c.receive(); err != nil {
			return err
		}
		wantsTLS, err = h.Decode(p)
	}
	if err != nil || wantsTLS {
		return c.refuse(1043, "08S01", "Bad handshake")
	}
	c.caps = h.Capabilities & c.server.greeting.Capabilities
	c.db = h.DB
	c.login = Login{Connection: c.number, User: h.User, DB: h.DB, Capabilities: c.caps, Attrs: append([]byte(nil), h.Attrs...)}
	if c.tls != nil {
		c.login.TLS = tls.VersionName(c.tls.ConnectionState().Version)
	}
	if o.RequireTLS && c.tls == nil {
		return c.refuse(3159, "HY000", "Connections using insecure transport are prohibited while --require_secure_transport=ON.")
	}
	plugin := h.AuthPlugin
	if !c.caps.Has(wire.PluginAuth) {
		plugin = auth.NativePassword
	}
	if err := c.authenticate(plugin, salt, append([]byte(nil), h.Auth...)); err != nil {
		return err
	}
	algorithm, level := c.compression(h.ZstdLevel)
	c.login.Compression = algorithm
	// Whoever sees the client logged in also finds its login here.
	c.server.loggedIn(c.login)
	e := &encoder{caps: c.caps, seq: c.seq, status: c.status}
	e.ok(wire.OK{}, wire.HeaderOK)
	if ok, _ := c.reply(&Query{Connection: c.number, User: h.User, Arrived: c.server.Now()}, e); !ok {
		return errLogin
	}
	if algorithm == "" {
		return nil
	}
	stream, err := wire.NewCompressed(c.stream, algorithm, level)
	if err != nil {
		return err
	}
	c.stream = stream
	return nil
}

// compression chooses by the server's preferences.
func (c *conn) compression(zstdLevel byte) (wire.Algorithm, int) {
	for _, a := range c.server.opts.Compression {
		if a == wire.Zlib && c.caps.Has(wire.Compress) || a == wire.Zstd && c.caps.Has(wire.ZstdCompression) {
			level := int(zstdLevel)
			if level < 1 || level > 22 {
				level = wire.DefaultZstdLevel
			}
			return a, level
		}
	}
	return "", 0
}

// startTLS puts TLS over the connection.
func (c *conn) startTLS() error {
	t := tls.Server(c.raw, c.server.opts.TLS)
	ctx, cancel := context.WithTimeout(context.Background(), loginTimeout)
	defer cancel()
	if err := t.HandshakeContext(ctx); err != nil {
		return fmt.Errorf("TLS with the client: %w", err)
	}
	c.tls, c.stream = t, t
	return nil
}

// open reports whether anybody may log in without a check.
func (o *Options) open() bool {
	return o.User == "" && o.Password == "" && o.Auth == auth.NativePassword
}

// authenticate checks the client. reply is what came with its response for plugin and the greeting's salt.
func (c *conn) authenticate(plugin string, salt, reply []byte) error {
	o := &c.server.opts
	c.login.Auth = o.Auth
	if o.open() && plugin == auth.NativePassword {
		return nil
	}
	_, isUnix := c.raw.LocalAddr().(*net.UnixAddr)
	so := auth.ServerOptions{
		User: c.login.User, Password: o.Password, Secure: c.tls != nil || isUnix, UnixSocket: isUnix && c.tls == nil,
		RSAKey: o.RSAKey, CacheHit: c.server.remembers(c.login.User), PeerUser: peerUser(c.raw.Conn),
	}
	// A reply for the right method and the greeting's salt is taken as it is; otherwise the method is switched.
	// Whatever the client sent is right for the methods that ask the kernel: clients need not know those.
	direct := so
	direct.Challenge = salt
	s, err := auth.NewServer(o.Auth, direct)
	asksKernel := o.Auth == auth.UnixSocket || o.Auth == auth.AuthSocket
	if asksKernel || plugin != o.Auth || err != nil {
		if s, err = auth.NewServer(o.Auth, so); err != nil {
			return err
		}
		if !asksKernel {
			if reply, err = c.switchTo(s); err != nil {
				return err
			}
		}
	}
	for range 10 {
		send, state, err := s.Next(reply)
		if send != nil {
			c.login.Full = c.login.Full || state == auth.More
			if err := c.send(func(b []byte) []byte { return wire.AppendAuthMore(b, send) }); err != nil {
				return err
			}
		}
		switch {
		case err != nil || state == auth.Denied:
			return c.deny(reply)
		case state == auth.OK && o.User != "" && c.login.User != o.User:
			return c.deny(reply) // at the end, as servers do: nobody learns which users exist
		case state == auth.OK:
			return nil
		}
		if reply, err = c.receive(); err != nil {
			return err
		}
	}
	return c.deny(reply)
}

// switchTo asks the client to log in by the account's method, and returns its reply.
func (c *conn) switchTo(s auth.Server) ([]byte, error) {
	c.login.Switched = true
	sw := wire.AuthSwitch{Plugin: c.server.opts.Auth, Data: s.Challenge()}
	err := c.send(func(b []byte) []byte { return sw.Append(b, auth.ZeroTerminated(sw.Plugin)) })
	if err != nil {
		return nil, err
	}
	return c.receive()
}

func (c *conn) deny(reply []byte) error {
	c.server.denied()
	host, _, err := net.SplitHostPort(c.raw.RemoteAddr().String())
	if err != nil {
		host = "localhost"
	}
	using := "YES"
	if len(reply) == 0 {
		using = "NO"
	}
	return c.refuse(1045, "28000", fmt.Sprintf("Access denied for user '%s'@'%s' (using password: %s)", c.login.User, host, using))
}

// changeUser runs the login again for another user, always by an auth switch request. The reply is in e, unless
// the connection has ended.
func (c *conn) changeUser(q *Query, e *encoder, body []byte) bool {
	user, rest, ok := wire.NulString(body)
	if !ok || len(rest) == 0 || len(rest) < 1+int(rest[0]) {
		c.malformed(e)
		return true
	}
	db, _, ok := wire.NulString(rest[1+int(rest[0]):])
	if !ok {
		c.malformed(e)
		return true
	}
	c.login = Login{
		Connection: c.number, User: string(user), DB: string(db), TLS: c.login.TLS, Compression: c.login.Compression,
		Capabilities: c.caps,
	}
	c.db, q.User = c.login.DB, c.login.User
	clear(c.stmts)
	c.seq = e.seq
	if !c.server.opts.open() {
		if err := c.authenticate("", nil, nil); err != nil {
			c.close(false)
			return false
		}
	}
	c.server.loggedIn(c.login)
	e.seq = c.seq
	e.ok(wire.OK{}, wire.HeaderOK)
	return true
}

// send sends one packet of the login.
func (c *conn) send(fill func([]byte) []byte) error {
	e := &encoder{seq: c.seq}
	e.packet(fill)
	c.seq = e.seq
	_, err := c.stream.Write(e.dst)
	return err
}

// receive reads one packet of the login, and not a byte more: TLS or compression may begin after it.
func (c *conn) receive() ([]byte, error) {
	var h [wire.HeaderSize]byte
	if _, err := io.ReadFull(c.stream, h[:]); err != nil {
		return nil, err
	}
	if h[3] != c.seq {
		return nil, c.refuse(1156, "08S01", "Got packets out of order")
	}
	c.seq++
	n := packetLen(h[:])
	if n > maxLoginPacket {
		return nil, c.refuse(1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes")
	}
	p := make([]byte, n)
	if _, err := io.ReadFull(c.stream, p); err != nil {
		return nil, err
	}
	return p, nil
}

// refuse sends an error, and returns one.
func (c *conn) refuse(code uint16, state, message string) error {
	e := wire.ERR{Code: code, State: state, Message: message}
	if err := c.send(e.Append); err != nil {
		return err
	}
	return errLogin
}
