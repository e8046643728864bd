package nullserver

import (
	"crypto/rsa"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"deltabench/internal/auth"
	"deltabench/internal/wire"
)

// Options describe a server. The zero value is a MariaDB-like server on a free port of 127.0.0.1 that lets anybody
// in by mysql_native_password and answers at once.
type Options struct {
	// Listen is an address such as 127.0.0.1:3306, or the path of a Unix socket (it contains a slash); empty
	// means 127.0.0.1:0.
	Listen string

	// MySQL makes the server speak as MySQL 8 does: no extended capabilities of MariaDB.
	MySQL bool
	// Version is the server's version, by default one that contains "nullserver".
	Version string

	// Delay is the time from the arrival of a statement to its reply, and Jitter a random addition, even between 0 and
	// Jitter. Logins and prepare commands are not delayed.
	Delay, Jitter time.Duration
	// NoMetadataCache takes MARIADB_CLIENT_CACHE_METADATA from the offered capabilities.
	NoMetadataCache bool
	// NoDeprecateEOF takes CLIENT_DEPRECATE_EOF from the offered capabilities.
	NoDeprecateEOF bool
	// Answers are the replies when there is no Handler.
	Answers Answers

	// Loops is the number of event loops of ListenFast; 0 means 1.
	Loops int
	// CPUs binds loop i of ListenFast to CPU CPUs[i%len(CPUs)].
	CPUs []int

	// The rest is for Listen only.

	// User and Password are the only account; an empty User means any user, without a check unless Password is set.
	User, Password string
	// Auth is the account's login method, mysql_native_password by default.
	Auth string
	// GreetingAuth is the method that the greeting names, Auth by default. When it differs, clients get an
	// auth switch request.
	GreetingAuth string
	// Cache says what caching_sha2_password remembers.
	Cache CacheMode
	// RSAKey serves passwords over insecure transports; nil refuses them.
	RSAKey *rsa.PrivateKey

	// TLS offers TLS; RequireTLS refuses clients that do not use it.
	TLS        *tls.Config
	RequireTLS bool
	// Compression offers "zlib" and "zstd".
	Compression []wire.Algorithm
	// SessionTrack offers CLIENT_SESSION_TRACK, and sends a change of session state with every OK packet.
	SessionTrack bool
	// QueryAttributes offers CLIENT_QUERY_ATTRIBUTES.
	QueryAttributes bool
	// OptionalMetadata offers CLIENT_OPTIONAL_RESULTSET_METADATA: column definitions are left out after
	// SET resultset_metadata='NONE'.
	OptionalMetadata bool

	// Handler makes the replies; nil means Answers. It is called from several goroutines. For prepare commands only
	// Err and Columns of its reply are used.
	Handler func(*Query) *Reply
	// DelayFunc replaces Delay and Jitter. It is called for every command, also prepare.
	DelayFunc func(*Query) time.Duration
	// Fault spoils replies; nil means none. It is called for logins too (Query.Login).
	Fault func(*Query) Fault
	// Refuse is asked for each connection, by number from 1; an error is sent instead of the greeting.
	Refuse func(connection uint32) *wire.ERR
	// Records is the number of Record kept; 0 means 1<<20.
	Records int
}

// CacheMode says what caching_sha2_password remembers.
type CacheMode int

// Cache modes.
const (
	CacheAfterLogin CacheMode = iota // users that made a full login, as real servers do
	CacheNever                       // every login is a full one
	CacheAlways                      // every user from the start: logins are fast
)

// Versions by default. MariaDB's has the prefix by which older servers announce themselves.
const (
	defaultMariaDB = "5.5.5-10.11.99-MariaDB-nullserver"
	defaultMySQL   = "8.4.99-nullserver"
)

// Validate reports all that is wrong with the options.
func (o Options) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if o.Delay < 0 || o.Jitter < 0 {
		bad("delay %v and jitter %v must not be negative", o.Delay, o.Jitter)
	}
	if o.Loops < 0 {
		bad("%d event loops", o.Loops)
	}
	for _, m := range []string{o.Auth, o.GreetingAuth} {
		if m != "" && !auth.Known(m) {
			_, err := auth.NewServer(m, auth.ServerOptions{})
			errs = append(errs, err)
		}
	}
	for _, c := range o.Compression {
		if c != wire.Zlib && c != wire.Zstd {
			bad("compression %q is not known (known: zlib, zstd)", c)
		}
	}
	if o.RequireTLS && o.TLS == nil {
		bad("TLS is required but not configured")
	}
	return errors.Join(errs...)
}

// fast reports what the options ask for that ListenFast has not.
func (o Options) fast() error {
	var has []string
	for name, set := range map[string]bool{
		"User": o.User != "", "Password": o.Password != "", "Auth": o.Auth != "" && o.Auth != auth.NativePassword,
		"GreetingAuth": o.GreetingAuth != "" && o.GreetingAuth != auth.NativePassword, "RSAKey": o.RSAKey != nil, "TLS": o.TLS != nil,
		"Compression": len(o.Compression) > 0, "SessionTrack": o.SessionTrack, "QueryAttributes": o.QueryAttributes,
		"OptionalMetadata": o.OptionalMetadata, "Handler": o.Handler != nil, "DelayFunc": o.DelayFunc != nil,
		"Fault": o.Fault != nil, "Refuse": o.Refuse != nil,
	} {
		if set {
			has = append(has, name)
		}
	}
	if len(has) > 0 {
		slices.Sort(has)
		return fmt.Errorf("the fast server has no %s", strings.Join(has, ", "))
	}
	return nil
}

// withDefaults fills in what was left empty.
func (o Options) withDefaults() Options {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Version == "" {
		o.Version = defaultMariaDB
		if o.MySQL {
			o.Version = defaultMySQL
		}
	}
	if o.Answers.Version == "" {
		o.Answers.Version = o.Version
	}
	if o.Auth == "" {
		o.Auth = auth.NativePassword
	}
	if o.GreetingAuth == "" {
		o.GreetingAuth = o.Auth
	}
	if o.Loops == 0 {
		o.Loops = 1
	}
	if o.Records == 0 {
		o.Records = 1 << 20
	}
	return o
}

// capabilities is what the server offers.
func (o Options) capabilities() wire.Capability {
	c := wire.FoundRows | wire.LongFlag | wire.ConnectWithDB | wire.ODBC | wire.IgnoreSpace | wire.Protocol41 |
		wire.Interactive | wire.IgnoreSIGPIPE | wire.Transactions | wire.SecureConnection | wire.MultiStatements |
		wire.MultiResults | wire.PSMultiResults | wire.PluginAuth | wire.ConnectAttrs | wire.PluginAuthLenencClientData
	set := func(on bool, f wire.Capability) {
		if on {
			c |= f
		}
	}
	set(o.MySQL, wire.LongPassword)
	set(!o.MySQL && !o.NoMetadataCache, wire.MariaDBCacheMetadata)
	set(!o.NoDeprecateEOF, wire.DeprecateEOF)
	set(o.TLS != nil, wire.SSL)
	set(slices.Contains(o.Compression, wire.Zlib), wire.Compress)
	set(slices.Contains(o.Compression, wire.Zstd), wire.ZstdCompression)
	set(o.SessionTrack, wire.SessionTrack)
	set(o.QueryAttributes, wire.QueryAttributes)
	set(o.OptionalMetadata, wire.OptionalResultsetMetadata)
	return c
}

// network returns how to listen.
func network(listen string) string {
	if strings.Contains(listen, "/") {
		return "unix"
	}
	return "tcp"
}
