// Package mysql is the database driver for MySQL and MariaDB: connections, logins, text and prepared
// statements over package wire, with sysbench's rules for errors and its log lines (specification 2.5,
// 5.6–5.9).
//
// A statement in the hot path is one write and, normally, one read, without allocation: result sets are skipped
// in place. All waiting goes through sqldb.Env and the net.Conn it dials, so a connection runs in a
// coroutine of an event loop as well as in a goroutine. Name resolution, files and certificates are dealt with
// in New.
package mysql

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"deltabench/internal/measure"
	"deltabench/internal/option"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/wire"
)

// DefaultIgnoreErrors are the errors after which an event is executed again, unless said otherwise: deadlock,
// record changed, lock wait timeout.
var DefaultIgnoreErrors = []int{1213, 1020, 1205}

// Config says which servers to connect to, and how.
type Config struct {
	// Hosts and Ports, or Sockets, are dealt to connections in turn: sockets if there are any, else pairs of host
	// and port with the port varying fastest. The host "localhost" stands for the default Unix socket.
	Hosts   []string
	Ports   []int
	Sockets []string

	// LocalSocket is the socket of the host "localhost"; empty: MYSQL_UNIX_PORT of the environment, else the first usual
	// place where there is one.
	LocalSocket string
	// NameSocket makes messages name that socket, where sysbench names host and port.
	NameSocket bool

	User, DB string
	Password option.Secret

	TLS                    TLSMode
	TLSCA, TLSCert, TLSKey string   // PEM files
	TLSLate                bool     // mistakes in the files and ciphers show when a server starts TLS, as error 2026
	TLSCipher              string   // OpenSSL names separated by colons, for TLS 1.2; empty: Go's choice
	ServerPublicKey        string   // PEM file with the server's RSA key; empty: the server is asked for it
	Compression            []string // "zlib", "zstd": the first that the server offers is used; empty: off
	ZstdLevel              int      // 1 to 22, 0: 3
	IgnoreErrors           []int    // see DefaultIgnoreErrors; not applied by itself
	IgnoreAllErrors        bool
	InitSQL                string        // statements, separated by semicolons, that every connection begins with, also after it was opened again; not counted
	LocalInfile            bool          // offer what Loader.LoadInfile needs; no file of this machine is ever sent
	DryRun                 bool          // everything succeeds without a server
	PSEmulate              bool          // prepared statements are put together here and sent as text
	Debug                  bool          // log calls in the words of the C client library
	ConnectTimeout         time.Duration // for opening a connection, login included; 0: none
	Log                    *textlog.Log  // nil: none
}

// driver is the sqldb.Driver.
type driver struct {
	cfg       Config
	targets   []target
	next      atomic.Uint64 // connections opened so far
	metadata  atomic.Int32  // see dropMetadata
	tls       *tls.Config   // nil: off; without ServerName
	tlsFailed error         // with Config.TLSLate: why TLS cannot be started
	publicKey []byte
	attrs     []byte   // connection attributes
	warned    sync.Map // texts of warnings that were given
}

// New checks cfg, resolves host names, loads certificates and returns the driver. It logs what sysbench logs when it
// cannot make a driver of the same options.
func New(ctx context.Context, cfg Config) (sqldb.Driver, error) {
	d := &driver{cfg: cfg}
	if cfg.Debug {
		cfg.Log.SetVerbosity(textlog.Debug)
		cfg.Log.Debugf("mysql_library_init(0, (nil), (nil))")
	}
	for _, a := range cfg.Compression {
		if a != string(wire.Zlib) && a != string(wire.Zstd) {
			return nil, fmt.Errorf("compression algorithm %q is unknown; known are zlib, zstd", a)
		}
	}
	if d.cfg.ZstdLevel == 0 {
		d.cfg.ZstdLevel = wire.DefaultZstdLevel
	}
	if l := d.cfg.ZstdLevel; l < 1 || l > 22 {
		return nil, fmt.Errorf("zstd level %d is not between 1 and 22", l)
	}
	if strings.ContainsRune(cfg.User+cfg.Password.Reveal()+cfg.DB, 0) {
		return nil, errors.New("user, password or database name contains a zero byte")
	}
	if len(cfg.Sockets) == 0 {
		switch {
		case len(cfg.Hosts) == 0:
			return nil, d.invalid("No MySQL hosts specified, aborting")
		case len(cfg.Ports) == 0:
			return nil, d.invalid("No MySQL ports specified, aborting")
		}
	}
	if cfg.DryRun {
		return d, nil
	}
	d.resolve(ctx)
	var err error
	if d.tls, err = tlsConfig(&cfg); err != nil && cfg.TLSLate {
		d.tls, d.tlsFailed = &tls.Config{MinVersion: tls.VersionTLS12}, err // never used for a handshake
	} else if err != nil {
		return nil, err
	}
	if d.publicKey, err = readPublicKey(cfg.ServerPublicKey); err != nil {
		return nil, err
	}
	d.attrs = wire.AppendAttr(d.attrs, "program_name", "deltabench")
	d.attrs = wire.AppendAttr(d.attrs, "_client_name", "deltabench")
	return d, nil
}

// invalid logs a configuration error in sysbench's words and returns it.
func (d *driver) invalid(text string) error {
	d.cfg.Log.Fatalf("%s", text)
	return errors.New(strings.TrimSuffix(text, ", aborting"))
}

// Name is "mysql".
func (d *driver) Name() string { return "mysql" }

// Connect opens a connection to the next target. Errors are logged in sysbench's words; their text is the one of
// sysbench's script error, and they unwrap to a *sqldb.Error or sqldb.ErrInterrupted.
func (d *driver) Connect(env sqldb.Env, stats *measure.Thread) (sqldb.Conn, error) {
	if d.cfg.DryRun {
		return &dryConn{stats: stats}, nil
	}
	c := &conn{d: d, env: env, stats: stats, target: d.take()}
	c.debugf("mysql_init(%p)", c)
	if err := c.open(); err != nil {
		c.drop()
		return nil, c.connectFailed(err)
	}
	return c, nil
}

// take deals the next target.
func (d *driver) take() *target {
	return &d.targets[(d.next.Add(1)-1)%uint64(len(d.targets))]
}

// ignored reports whether an error makes the event start again.
func (d *driver) ignored(code int) bool {
	return d.cfg.IgnoreAllErrors || slices.Contains(d.cfg.IgnoreErrors, code)
}

// warnOnce logs a warning the first time it is given.
func (d *driver) warnOnce(text string) {
	if _, given := d.warned.LoadOrStore(text, true); !given {
		d.cfg.Log.Warnf("%s", text)
	}
}

// target is one server.
type target struct {
	host      string
	port      int
	socket    string       // as configured; empty: host and port
	network   string       // of addresses
	addresses []string     // tried in turn
	err       *sqldb.Error // why there are no addresses

	nameSocket bool // messages name the socket of the host localhost
}

// String names the target as sysbench's messages do.
func (t *target) String() string {
	switch {
	case t.socket != "":
		return "socket '" + t.socket + "'"
	case t.nameSocket:
		return "socket '" + t.addresses[0] + "'"
	}
	return "host '" + t.host + "', port " + strconv.Itoa(t.port)
}
