package auth

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
)

// caching_sha2_password (MySQL 8): first a hashed reply, which suffices while the server remembers the
// user's hash. If it does not, the password itself follows: plain over TLS and Unix sockets, else
// sealed by the server's RSA key.
// https://dev.mysql.com/doc/dev/mysql-server/latest/page_caching_sha2_authentication_exchanges.html
//
// sha256_password (MySQL 5.6 to 8) always sends the password itself: plain over TLS, else sealed.

// Payload bytes of caching_sha2_password and sha256_password.
const (
	cachingFastOK   = 3 // server: the hash was right, OK follows
	cachingFullAuth = 4 // server: send the password itself
	cachingWantKey  = 2 // client: send the RSA key
	sha256WantKey   = 1 // client: send the RSA key
)

// cachingReply is XOR(SHA256(password), SHA256(SHA256(SHA256(password)) + challenge)).
func cachingReply(password string, challenge []byte) []byte {
	once := sha256.Sum256([]byte(password))
	twice := sha256.Sum256(once[:])
	h := sha256.New()
	h.Write(twice[:])
	h.Write(challenge)
	reply := h.Sum(nil)
	subtle.XORBytes(reply, reply, once[:])
	return reply
}

// fullClient sends a password itself: the part that both methods share.
type fullClient struct {
	plugin    string
	o         ClientOptions
	plain     bool // the transport lets the password travel as it is
	wantKey   byte // request for the server's key
	challenge []byte
}

// password returns the plain or sealed password, or the request for the key that seals it (asked).
func (c *fullClient) password() (reply []byte, asked bool, err error) {
	switch {
	case c.plain:
		return clearText(c.o.Password), false, nil
	case len(c.o.ServerPublicKey) > 0:
		reply, err = c.seal(c.o.ServerPublicKey)
		return reply, false, err
	case c.o.AllowPublicKeyRetrieval || c.o.Secure:
		return []byte{c.wantKey}, true, nil
	}
	return nil, false, fmt.Errorf("%s: the server wants the password itself; this needs TLS, a unix socket, the server's public key, or leave to ask the server for that key", c.plugin)
}

func (c *fullClient) seal(pemKey []byte) ([]byte, error) {
	sealed, err := sealPassword(c.o.Password, c.challenge, pemKey)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.plugin, err)
	}
	return sealed, nil
}

type cachingClient struct {
	fullClient
	state cachingState
}

type cachingState int

const (
	cachingHashed cachingState = iota // hash sent: 3 or 4 follows
	cachingKey                        // key asked for
	cachingEnd
)

func newCachingClient(o ClientOptions) Client {
	return &cachingClient{fullClient: fullClient{plugin: CachingSHA2Password, o: o, plain: o.Secure, wantKey: cachingWantKey}}
}

func (c *cachingClient) Start(challenge []byte) ([]byte, error) {
	c.state = cachingHashed
	challenge, err := takeChallenge(CachingSHA2Password, challenge, 20)
	if err != nil {
		return nil, err
	}
	c.challenge = bytes.Clone(challenge)
	if c.o.Password == "" {
		return nil, nil
	}
	return cachingReply(c.o.Password, challenge), nil
}

func (c *cachingClient) Next(data []byte) ([]byte, bool, error) {
	switch {
	case c.state == cachingHashed && len(data) == 1 && data[0] == cachingFastOK:
		c.state = cachingEnd
		return nil, true, nil
	case c.state == cachingHashed && len(data) == 1 && data[0] == cachingFullAuth:
		reply, asked, err := c.password()
		if asked && err == nil {
			c.state = cachingKey
			return reply, false, nil
		}
		c.state = cachingEnd
		return reply, true, err
	case c.state == cachingKey:
		c.state = cachingEnd
		reply, err := c.seal(data)
		return reply, true, err
	}
	return nil, true, unexpected(CachingSHA2Password, data)
}

type sha256Client struct {
	fullClient
	asked bool
}

func newSHA256Client(o ClientOptions) Client {
	plain := o.Secure && !o.UnixSocket
	return &sha256Client{fullClient: fullClient{plugin: SHA256Password, o: o, plain: plain, wantKey: sha256WantKey}}
}

func (c *sha256Client) Start(challenge []byte) ([]byte, error) {
	c.asked = false
	if c.o.Password == "" {
		return []byte{0}, nil
	}
	if c.plain {
		return clearText(c.o.Password), nil // the challenge is not used
	}
	challenge, err := takeChallenge(SHA256Password, challenge, 20)
	if err != nil {
		return nil, err
	}
	c.challenge = bytes.Clone(challenge)
	reply, asked, err := c.password()
	c.asked = asked
	return reply, err
}

func (c *sha256Client) Next(data []byte) ([]byte, bool, error) {
	if !c.asked {
		return nil, true, unexpected(SHA256Password, data)
	}
	c.asked = false
	reply, err := c.seal(data)
	return reply, true, err
}

// fullServer checks a password itself: the part that both methods share.
type fullServer struct {
	plugin  string
	o       ServerOptions
	plain   bool
	wantKey byte
	keySent bool
}

var errNoKey = errors.New("the transport is not secure and the server has no RSA key")

// password takes the client's answer to the demand for the password itself.
func (s *fullServer) password(reply []byte) ([]byte, State, error) {
	text := reply
	if !s.plain {
		if s.o.RSAKey == nil {
			return nil, Denied, fmt.Errorf("%s: %w", s.plugin, errNoKey)
		}
		if len(reply) == 1 && reply[0] == s.wantKey && !s.keySent {
			s.keySent = true
			key, err := PublicKeyPEM(s.o.RSAKey)
			if err != nil {
				return nil, Denied, fmt.Errorf("%s: %w", s.plugin, err)
			}
			return key, More, nil
		}
		opened, ok := openPassword(reply, s.o.Challenge, s.o.RSAKey)
		if !ok {
			return nil, Denied, nil
		}
		text = opened
	}
	if !equalText(text, s.o.Password) {
		return nil, Denied, nil
	}
	return nil, OK, nil
}

// equalText compares a zero-terminated password with the right one, in constant time.
func equalText(text []byte, password string) bool {
	a, b := sha256.Sum256(text), sha256.Sum256(clearText(password))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// emptyReply: clients say "no password" by no byte or by a zero byte.
func emptyReply(reply []byte) bool {
	return len(reply) == 0 || len(reply) == 1 && reply[0] == 0
}

type cachingServer struct {
	fullServer
	state cachingServerState
}

type cachingServerState int

const (
	cachingWantsHash cachingServerState = iota
	cachingWantsPassword
	cachingDecided
)

func newCachingServer(o ServerOptions) Server {
	return &cachingServer{fullServer: fullServer{plugin: CachingSHA2Password, o: o, plain: o.Secure, wantKey: cachingWantKey}}
}

func (s *cachingServer) Challenge() []byte { return s.o.Challenge }

func (s *cachingServer) Next(reply []byte) (send []byte, state State, err error) {
	switch s.state {
	case cachingWantsHash:
		send, state, err = s.hash(reply)
	case cachingWantsPassword:
		send, state, err = s.password(reply)
	default:
		return nil, Denied, errEnded
	}
	if state != More {
		s.state = cachingDecided
	}
	return send, state, err
}

// hash checks the first reply. A wrong hash leads to the full login, as the server's memory may be
// older than the password.
func (s *cachingServer) hash(reply []byte) ([]byte, State, error) {
	if emptyReply(reply) {
		if s.o.Password == "" {
			return nil, OK, nil
		}
		return nil, Denied, nil
	}
	if len(reply) != sha256.Size {
		return nil, Denied, fmt.Errorf("%s: hash of %d bytes from the client, want %d", s.plugin, len(reply), sha256.Size)
	}
	right := subtle.ConstantTimeCompare(reply, cachingReply(s.o.Password, s.o.Challenge)) == 1
	if s.o.CacheHit && right {
		return []byte{cachingFastOK}, OK, nil
	}
	s.state = cachingWantsPassword
	return []byte{cachingFullAuth}, More, nil
}

type sha256Server struct {
	fullServer
	ended bool
}

func newSHA256Server(o ServerOptions) Server {
	plain := o.Secure && !o.UnixSocket
	return &sha256Server{fullServer: fullServer{plugin: SHA256Password, o: o, plain: plain, wantKey: sha256WantKey}}
}

func (s *sha256Server) Challenge() []byte { return s.o.Challenge }

func (s *sha256Server) Next(reply []byte) (send []byte, state State, err error) {
	if s.ended {
		return nil, Denied, errEnded
	}
	if emptyReply(reply) {
		if state = Denied; s.o.Password == "" {
			state = OK
		}
	} else {
		send, state, err = s.password(reply)
	}
	s.ended = state != More
	return send, state, err
}
