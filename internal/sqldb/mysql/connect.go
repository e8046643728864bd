package mysql

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"syscall"
	"time"

	"deltabench/internal/auth"
	"deltabench/internal/sqldb"
	"deltabench/internal/wire"
)

// maxPacket is what the client says it accepts, as the C client libraries do.
const maxPacket = 1 << 30

// baseCapabilities are used when the server has them.
const baseCapabilities = wire.LongFlag | wire.Protocol41 | wire.Transactions | wire.SecureConnection |
	wire.MultiStatements | wire.MultiResults | wire.PSMultiResults | wire.PluginAuth | wire.PluginAuthLenencClientData |
	wire.ConnectAttrs | wire.DeprecateEOF

// Points of a login, as the client library names them in its messages.
const (
	readingGreeting = "handshake: reading initial communication packet"
	readingAuth     = "reading authorization packet"
	sendingAuth     = "sending authentication information"
)

// connectFailed logs that a connection could not be opened, and returns what scripts see of it. Interruptions are not
// logged.
func (c *conn) connectFailed(err error) error {
	if interrupted(err) {
		return sqldb.ErrInterrupted
	}
	e := asError(err)
	c.d.cfg.Log.Fatalf("unable to connect to MySQL server on %s, aborting...", c.target)
	c.d.cfg.Log.Fatalf("error %d: %s", e.Code, e.Message)
	return &callError{text: sqldb.ErrConnect.Error(), err: fmt.Errorf("%w: %w", sqldb.ErrConnect, e)}
}

// asError is the error of server or client rules in err.
func asError(err error) *sqldb.Error {
	var e *sqldb.Error
	if errors.As(err, &e) {
		return e
	}
	return clientError(errMalformed, err.Error())
}

// open connects and logs in. The error is a *sqldb.Error or sqldb.ErrInterrupted; it is not logged.
func (c *conn) open() error {
	err := c.openOnce()
	if err == errMetadata {
		err = c.openOnce()
	}
	return err
}

// openOnce is open; it also returns errMetadata.
func (c *conn) openOnce() error {
	if c.d.cfg.Debug {
		socket := c.target.socket
		if socket == "" {
			socket = "(null)"
		}
		c.debugf(`mysql_real_connect(%p, "%s", "%s", "***", "%s", %d, "%s", CLIENT_MULTI_STATEMENTS)`,
			c, c.target.host, c.d.cfg.User, c.d.cfg.DB, c.target.port, socket)
	}
	nc, err := c.dial()
	if err != nil {
		return err
	}
	c.nc, c.raw, c.lost, c.cut = nc, nc, false, false
	limited := c.d.cfg.ConnectTimeout > 0
	if limited {
		_ = nc.SetDeadline(time.Now().Add(c.d.cfg.ConnectTimeout)) // fails only on closed connections, which reads show
	}
	err = c.login()
	if err == nil {
		err = c.dropMetadata()
	}
	if err == nil {
		err = c.initSQL()
	}
	if limited && err == nil {
		_ = nc.SetDeadline(time.Time{})
		// A forced stop uses the deadline as well, and must not be undone.
		if c.env.Stopping() {
			err = sqldb.ErrInterrupted
		}
	}
	if err != nil {
		c.drop()
		return err
	}
	c.rd.Release()
	return nil
}

// initSQL executes the statements that every connection begins with.
func (c *conn) initSQL() error {
	if c.d.cfg.InitSQL == "" {
		return nil
	}
	_, f, _ := c.run(append(append(c.begin(), byte(wire.ComQuery)), c.d.cfg.InitSQL...), nil)
	var e *sqldb.Error
	if errors.As(f.err, &e) {
		said := *e
		said.Message, said.Cause = "in --mysql-init-sql: "+e.Message, sqldb.ErrInitSQL
		return &said
	}
	return f.err
}

// dial tries the target's addresses in turn.
func (c *conn) dial() (net.Conn, error) {
	c.step(sqldb.StepConnect)
	t := c.target
	if t.err != nil {
		return nil, t.err
	}
	var last error
	for _, address := range t.addresses {
		for {
			nc, err := c.env.Dial(t.network, address, c.d.cfg.ConnectTimeout)
			if err == nil {
				c.address = address
				return nc, nil
			}
			if errors.Is(err, sqldb.ErrInterrupted) {
				return nil, sqldb.ErrInterrupted
			}
			last = err
			// A Unix socket whose queue of new connections is full says so at once instead of waiting.
			if t.network != "unix" || !errors.Is(err, syscall.EAGAIN) {
				break
			}
			if err := c.env.Sleep(retryEvery); err != nil || c.env.Stopping() {
				return nil, sqldb.ErrInterrupted
			}
		}
	}
	e := dialError(t, last)
	e.Cause = last
	return nil, e
}

// dialError is MariaDB's message for a server that cannot be reached.
func dialError(t *target, err error) *sqldb.Error {
	var errno syscall.Errno
	known := errors.As(err, &errno)
	if t.network == "unix" {
		if !known {
			return clientError(errConnection, fmt.Sprintf("Can't connect to local server through socket '%s' (%v)", t.addresses[0], err))
		}
		return clientError(errConnection, fmt.Sprintf("Can't connect to local server through socket '%s' (%d)", t.addresses[0], int(errno)))
	}
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errno == syscall.ETIMEDOUT, errors.As(err, &timeout) && timeout.Timeout():
		return clientError(errConnection, fmt.Sprintf("Can't connect to server on '%s' (110)", t.host))
	case known:
		// The library connects without blocking and reports EINPROGRESS, whatever comes of it.
		return clientError(errConnection, fmt.Sprintf("Can't connect to server on '%s' (115)", t.host))
	}
	return clientError(errConnection, fmt.Sprintf("Can't connect to server on '%s' (%v)", t.host, err))
}

// stageError is what a failed read or write during login means.
func (c *conn) stageError(stage string, err error) error {
	if errors.Is(err, sqldb.ErrInterrupted) || errors.Is(err, os.ErrDeadlineExceeded) && (c.d.cfg.ConnectTimeout == 0 || c.env.Stopping()) {
		return sqldb.ErrInterrupted
	}
	var e *sqldb.Error
	if errors.As(err, &e) {
		return e
	}
	number := systemError(err)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		number = int(syscall.ETIMEDOUT)
	}
	e = clientError(errLost, fmt.Sprintf("Lost connection to server at '%s', system error: %d", stage, number))
	e.Cause = err
	return e
}

// login exchanges greetings over c.nc, starts TLS and compression, and proves who we are.
func (c *conn) login() error {
	c.step(sqldb.StepGreeting)
	c.stream(c.nc)
	c.caps = 0
	packet, err := c.rd.Next()
	if err != nil {
		return c.stageError(readingGreeting, err)
	}
	switch {
	case len(packet) == 0:
		return clientError(errMalformed, "Malformed packet (empty greeting)")
	case packet[0] == wire.HeaderERR:
		return c.serverError(packet)
	case packet[0] != 10:
		return clientError(errVersion, fmt.Sprintf("Protocol mismatch. Server Version = %d Client Version = 10", packet[0]))
	}
	var h wire.Handshake
	if err := h.Decode(packet); err != nil {
		return clientError(errMalformed, "Malformed packet ("+err.Error()+")")
	}
	c.server = h.Version
	response := wire.HandshakeResponse{
		MaxPacket: maxPacket,
		Charset:   wire.CharsetUTF8MB4,
		User:      c.d.cfg.User,
		DB:        c.d.cfg.DB,
		Attrs:     c.d.attrs,
		ZstdLevel: byte(c.d.cfg.ZstdLevel),
	}
	algorithm := c.negotiate(h.Capabilities)
	response.Capabilities = c.caps
	c.wr.Seq = c.rd.Seq
	if c.tlsState, err = c.startTLS(&h, &response); err != nil {
		return err
	}
	if err := c.authenticate(&h, &response); err != nil {
		return err
	}
	if c.comp = nil; algorithm != "" {
		if c.comp, err = wire.NewCompressed(c.nc, algorithm, c.d.cfg.ZstdLevel); err != nil {
			return clientError(errMalformed, err.Error())
		}
		c.stream(c.comp)
		c.rd.AnySeq = true
	}
	c.algorithm = algorithm
	return nil
}

// stream makes packets travel over rw.
func (c *conn) stream(rw io.ReadWriter) {
	c.rd.Reset(rw, 0)
	c.wr.Reset(rw)
}

// negotiate sets the capabilities to use, and returns the compression algorithm.
func (c *conn) negotiate(server wire.Capability) wire.Algorithm {
	want := baseCapabilities
	if !server.Has(wire.LongPassword) {
		want |= wire.MariaDBCacheMetadata
	} else {
		want |= wire.LongPassword
	}
	if c.d.cfg.DB != "" {
		want |= wire.ConnectWithDB
	}
	if c.d.tls != nil {
		want |= wire.SSL
	}
	if c.d.cfg.LocalInfile {
		want |= wire.LocalFiles
	}
	if server.Has(wire.DeprecateEOF) && c.d.metadata.Load() != metadataNeeded {
		want |= wire.OptionalResultsetMetadata
	}
	c.caps = want & (server | wire.ConnectWithDB)
	for _, a := range c.d.cfg.Compression {
		flag := wire.Compress
		if a == string(wire.Zstd) {
			flag = wire.ZstdCompression
		}
		if server.Has(flag) {
			c.caps |= flag
			return wire.Algorithm(a)
		}
	}
	if len(c.d.cfg.Compression) > 0 {
		c.d.warnOnce("the server on " + c.target.String() + " offers no compression that was asked for; going on without")
	}
	return ""
}

// startTLS asks for TLS and starts it when the configuration says so and the server can. It returns version and
// cipher suite, empty without TLS.
func (c *conn) startTLS(h *wire.Handshake, response *wire.HandshakeResponse) (string, error) {
	if c.d.tls == nil {
		return "", nil
	}
	if !h.Capabilities.Has(wire.SSL) {
		if c.d.cfg.TLS == TLSPreferred {
			return "", nil
		}
		return "", clientError(errTLS, "TLS/SSL error: SSL is required, but the server does not support it")
	}
	if c.d.tlsFailed != nil {
		return "", tlsError(c.d.tlsFailed)
	}
	if err := c.wr.Send(response.AppendSSLRequest(c.wr.Begin())); err != nil {
		return "", c.stageError(sendingAuth, err)
	}
	c.step(sqldb.StepTLS)
	cfg := c.d.tls.Clone()
	cfg.ServerName = c.target.host
	tc := tls.Client(c.nc, cfg)
	if err := tc.HandshakeContext(context.Background()); err != nil {
		switch {
		case interrupted(err):
			return "", c.stageError(readingAuth, err)
		case endOfStream(err):
			return "", clientError(errLost, "Lost connection to server during the TLS handshake: "+err.Error())
		}
		return "", tlsError(err)
	}
	c.nc = tc
	seq := c.wr.Seq
	c.stream(tc)
	c.wr.Seq = seq
	state := tc.ConnectionState()
	return tlsVersion(state.Version) + " " + tls.CipherSuiteName(state.CipherSuite), nil
}

// tlsVersion names versions as servers and OpenSSL do.
func tlsVersion(v uint16) string {
	switch v {
	case tls.VersionTLS12:
		return "TLSv1.2"
	case tls.VersionTLS13:
		return "TLSv1.3"
	}
	return tls.VersionName(v)
}

// newAuth starts a login by plugin and returns the first reply.
func (c *conn) newAuth(plugin string, challenge []byte) (auth.Client, []byte, error) {
	unix := c.target.network == "unix"
	client, err := auth.NewClient(plugin, auth.ClientOptions{
		User:            c.d.cfg.User,
		Password:        c.d.cfg.Password.Reveal(),
		Secure:          unix || c.tlsState != "",
		UnixSocket:      unix && c.tlsState == "",
		ServerPublicKey: c.d.publicKey,
		// As the C library of MariaDB does. Who does not trust the network uses TLS or ServerPublicKey.
		AllowPublicKeyRetrieval: true,
	})
	if err == nil {
		var reply []byte
		if reply, err = client.Start(challenge); err == nil {
			c.authMethod = plugin
			return client, reply, nil
		}
	}
	return nil, nil, clientError(errAuthPlugin, "Authentication plugin '"+plugin+"' cannot be loaded: "+err.Error())
}

// authenticate sends the handshake response and answers the server until it says OK.
func (c *conn) authenticate(h *wire.Handshake, response *wire.HandshakeResponse) error {
	c.step(sqldb.StepLogin)
	plugin := h.AuthPlugin
	// With other methods the server asks for a switch: unknown ones, and those whose challenge is not in the greeting.
	if !slices.Contains([]string{auth.NativePassword, auth.CachingSHA2Password, auth.SHA256Password}, plugin) {
		plugin = auth.NativePassword
	}
	client, reply, err := c.newAuth(plugin, h.Salt)
	if err != nil {
		return err
	}
	response.Auth, response.AuthPlugin = reply, plugin
	if err := c.wr.Send(response.Append(c.wr.Begin())); err != nil {
		return c.stageError(sendingAuth, err)
	}
	for {
		c.rd.Seq = c.wr.Seq
		packet, err := c.rd.Next()
		if err != nil {
			return c.stageError(readingAuth, err)
		}
		if len(packet) == 0 {
			return clientError(errMalformed, "Malformed packet (empty during login)")
		}
		send := false
		switch packet[0] {
		case wire.HeaderOK:
			return nil
		case wire.HeaderERR:
			return c.serverError(packet)
		case wire.HeaderEOF:
			var s wire.AuthSwitch
			if err := s.Decode(packet); err != nil {
				return clientError(errMalformed, "Malformed packet ("+err.Error()+")")
			}
			if client, reply, err = c.newAuth(s.Plugin, s.Data); err != nil {
				return err
			}
			send = true
		case wire.HeaderAuthMoreData:
			reply, _, err = client.Next(packet[1:])
			if err != nil {
				return clientError(errAuthPlugin, "Authentication plugin '"+c.authMethod+"' reported error: "+err.Error())
			}
			send = reply != nil
		default:
			return clientError(errMalformed, "Malformed packet (unexpected during login)")
		}
		c.wr.Seq = c.rd.Seq
		if send {
			if err := c.wr.Write(reply); err != nil {
				return c.stageError(sendingAuth, err)
			}
		}
	}
}

// serverError is the error in an ERR packet, or an error about that packet.
func (c *conn) serverError(packet []byte) error {
	var e wire.ERR
	if err := e.Decode(packet); err != nil {
		return clientError(errMalformed, "Malformed packet ("+err.Error()+")")
	}
	return &sqldb.Error{Code: int(e.Code), State: e.State, Message: e.Message}
}
