// Package auth is both sides of the login methods of MySQL and MariaDB: what a client answers to a
// server's challenge, and how a server checks it.
//
// It knows payloads only: no sockets, no packets, no TLS. The caller carries the bytes, tells whether
// the transport is safe from eavesdroppers, and sends or reads the OK or ERR packet that ends a login.
// Slices passed in are not kept; slices returned belong to the caller. A Client or Server serves one
// login attempt of one connection and is not safe for concurrent use. Passwords never appear in errors.
package auth

import (
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Names of the login methods, as the protocol carries them.
const (
	NativePassword      = "mysql_native_password"
	CachingSHA2Password = "caching_sha2_password"
	SHA256Password      = "sha256_password"
	Ed25519             = "client_ed25519"
	ClearPassword       = "mysql_clear_password"
	UnixSocket          = "unix_socket" // MariaDB's name
	AuthSocket          = "auth_socket" // MySQL's name for the same
)

// Client answers one server's challenges for one login attempt.
type Client interface {
	// Start returns the first reply for the plugin's challenge, which comes with the greeting or with
	// an auth switch request; its closing zero byte may be present or not. The reply is always to be
	// sent, even when it is empty.
	Start(challenge []byte) (reply []byte, err error)
	// Next takes the payload of an auth-more-data packet without its leading 0x01. A nil reply means
	// that nothing is to be sent. done means that only OK, ERR or an auth switch may follow.
	Next(data []byte) (reply []byte, done bool, err error)
}

// ClientOptions say who logs in, and over what.
type ClientOptions struct {
	User, Password string
	// Secure: nobody can listen in, the transport is TLS or a Unix socket.
	Secure bool
	// UnixSocket: the secure transport is a Unix socket without TLS. It matters to sha256_password
	// alone, which takes a plain password over TLS only.
	UnixSocket bool
	// ServerPublicKey is the server's RSA key in PEM, if known: then it is never asked for.
	ServerPublicKey []byte
	// AllowPublicKeyRetrieval permits asking the server for its RSA key over an insecure transport,
	// where somebody in between could answer with a key of his own.
	AllowPublicKeyRetrieval bool
}

// State says how a login stands after a step of the server.
type State int

// States of a login.
const (
	More   State = iota // the client's next packet is needed
	OK                  // the password is right
	Denied              // it is not; the server answers with error 1045
)

func (s State) String() string {
	switch s {
	case More:
		return "more"
	case OK:
		return "ok"
	case Denied:
		return "denied"
	}
	return fmt.Sprintf("State(%d)", int(s))
}

// Server checks one client's replies in one login attempt.
type Server interface {
	// Challenge is what the greeting or an auth switch request carries, without closing zero byte;
	// see ZeroTerminated. It is the same on each call.
	Challenge() []byte
	// Next takes the client's packet, the first of them possibly from its handshake response. send is
	// the payload of an auth-more-data packet, without the leading 0x01, that goes out before
	// anything else; nil means none. An error reports a reply that breaks the protocol, or a login
	// that this server cannot serve; the state is Denied then.
	Next(reply []byte) (send []byte, state State, err error)
}

// ServerOptions say what the server expects.
type ServerOptions struct {
	User, Password string
	// Secure and UnixSocket: as in ClientOptions.
	Secure, UnixSocket bool
	// RSAKey serves full logins over insecure transports; nil refuses them.
	RSAKey *rsa.PrivateKey
	// CacheHit: the server remembers this user's password hash, so that caching_sha2_password takes
	// the fast path.
	CacheHit bool
	// PeerUser is the operating system's name of the user at the other end of a Unix socket, for
	// unix_socket and auth_socket.
	PeerUser string
	// Challenge is used instead of a random one, such as the challenge that a greeting has carried
	// already; its length must be the plugin's.
	Challenge []byte
	// Random is the source of challenges, crypto/rand.Reader when nil.
	Random io.Reader
}

// method is one login method.
type method struct {
	name      string
	challenge int  // length of the challenge in bytes
	zero      bool // a zero byte follows the challenge in auth switch requests
	client    func(ClientOptions) Client
	server    func(ServerOptions) Server // Challenge is set
}

// methods in the order of Plugins. A function, for the table costs nothing until somebody logs in.
func methods() []method {
	return []method{
		{NativePassword, 20, true, newNativeClient, newNativeServer},
		{CachingSHA2Password, 20, true, newCachingClient, newCachingServer},
		{SHA256Password, 20, true, newSHA256Client, newSHA256Server},
		{Ed25519, 32, false, newEd25519Client, newEd25519Server},
		{ClearPassword, 0, false, newClearClient, newClearServer},
		{UnixSocket, 0, false, newSocketClient, newSocketServer},
		{AuthSocket, 0, false, newSocketClient, newSocketServer},
	}
}

// Plugins returns the names of the login methods.
func Plugins() []string {
	var names []string
	for _, m := range methods() {
		names = append(names, m.name)
	}
	return names
}

// Known reports whether plugin is one of Plugins.
func Known(plugin string) bool {
	_, err := find(plugin)
	return err == nil
}

// ZeroTerminated reports whether the challenge of plugin is followed by a zero byte in auth switch
// requests, as servers send it.
func ZeroTerminated(plugin string) bool {
	m, err := find(plugin)
	return err == nil && m.zero
}

func find(plugin string) (method, error) {
	all := methods()
	i := slices.IndexFunc(all, func(m method) bool { return m.name == plugin })
	if i < 0 {
		return method{}, fmt.Errorf("login method %q is not known (known: %s)", plugin, strings.Join(Plugins(), ", "))
	}
	return all[i], nil
}

// NewClient returns the client's side of plugin.
func NewClient(plugin string, o ClientOptions) (Client, error) {
	m, err := find(plugin)
	if err != nil {
		return nil, err
	}
	return m.client(o), nil
}

// NewServer returns the server's side of plugin.
func NewServer(plugin string, o ServerOptions) (Server, error) {
	m, err := find(plugin)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Challenge == nil:
		if o.Challenge, err = newChallenge(o.Random, m.challenge); err != nil {
			return nil, fmt.Errorf("%s: make a challenge: %w", plugin, err)
		}
	case len(o.Challenge) != m.challenge:
		return nil, fmt.Errorf("%s: challenge of %d bytes, want %d", plugin, len(o.Challenge), m.challenge)
	default:
		o.Challenge = slices.Clone(o.Challenge)
	}
	return m.server(o), nil
}

// newChallenge returns n random bytes from 0x21 to 0x7e. Like servers' own they are printable:
// some clients read the challenge up to a zero byte, and drop a closing one.
func newChallenge(random io.Reader, n int) ([]byte, error) {
	if random == nil {
		random = rand.Reader
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(random, b); err != nil {
		return nil, err
	}
	for i := range b {
		b[i] = 0x21 + b[i]%94
	}
	return b, nil
}

// takeChallenge returns the n bytes of a challenge without its closing zero byte. Bytes that follow
// are an error: a longer challenge belongs to another plugin.
func takeChallenge(plugin string, challenge []byte, n int) ([]byte, error) {
	if len(challenge) == n+1 && challenge[n] == 0 {
		challenge = challenge[:n]
	}
	if len(challenge) != n {
		return nil, fmt.Errorf("%s: challenge of %d bytes from the server, want %d", plugin, len(challenge), n)
	}
	return challenge, nil
}

// unexpected is the error for a server that goes on where the method has ended.
func unexpected(plugin string, data []byte) error {
	return fmt.Errorf("%s: unexpected %d bytes from the server", plugin, len(data))
}

// errEnded is the error of a Server that is asked again after its decision.
var errEnded = errors.New("login has ended already")

// clearText is a password as it travels without disguise: closed by a zero byte.
func clearText(password string) []byte {
	return append([]byte(password), 0)
}
