package auth

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// testKey is made once: an RSA key takes a while.
var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// exchange is what was said in a login.
type exchange struct {
	replies [][]byte // of the client, in order
	sends   [][]byte // of the server, in order
	state   State
}

// login lets a client and a server talk until the server decides. A disagreement over who speaks next is an error.
func login(c Client, s Server) (exchange, error) {
	var x exchange
	reply, err := c.Start(s.Challenge())
	if err != nil {
		return x, fmt.Errorf("client: %w", err)
	}
	done := false
	for range 10 {
		x.replies = append(x.replies, reply)
		send, state, err := s.Next(reply)
		x.state = state
		if err != nil {
			return x, fmt.Errorf("server: %w", err)
		}
		reply = nil
		if send != nil {
			if done {
				return x, errors.New("server speaks on after the client's end")
			}
			x.sends = append(x.sends, send)
			if reply, done, err = c.Next(send); err != nil {
				return x, fmt.Errorf("client: %w", err)
			}
		}
		if state != More {
			if reply != nil {
				return x, errors.New("client speaks on after the server's decision")
			}
			return x, nil
		}
		if reply == nil {
			return x, errors.New("both wait")
		}
	}
	return x, errors.New("no end after 10 steps")
}

func pair(t *testing.T, plugin string, co ClientOptions, so ServerOptions) (Client, Server) {
	t.Helper()
	c, err := NewClient(plugin, co)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewServer(plugin, so)
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// variant is a way to log in.
type variant struct {
	name, plugin string
	co           ClientOptions
	so           ServerOptions
	sends        int  // packets of the server before its decision
	hidden       bool // the password must not be readable in what the client sends
}

func variants(t *testing.T) []variant {
	key := testKey()
	public, err := PublicKeyPEM(key)
	if err != nil {
		t.Fatal(err)
	}
	secure := ClientOptions{Secure: true}
	unix := ClientOptions{Secure: true, UnixSocket: true}
	return []variant{
		{"native", NativePassword, ClientOptions{}, ServerOptions{}, 0, true},
		{"native over TLS", NativePassword, secure, ServerOptions{Secure: true}, 0, true},
		{"caching fast", CachingSHA2Password, ClientOptions{}, ServerOptions{CacheHit: true}, 1, true},
		{"caching full over TLS", CachingSHA2Password, secure, ServerOptions{Secure: true}, 1, false},
		{"caching full over unix socket", CachingSHA2Password, unix, ServerOptions{Secure: true, UnixSocket: true}, 1, false},
		{"caching full, key asked for", CachingSHA2Password, ClientOptions{AllowPublicKeyRetrieval: true}, ServerOptions{RSAKey: key}, 2, true},
		{"caching full, key known", CachingSHA2Password, ClientOptions{ServerPublicKey: public}, ServerOptions{RSAKey: key}, 1, true},
		{"sha256 over TLS", SHA256Password, secure, ServerOptions{Secure: true}, 0, false},
		{"sha256, key asked for", SHA256Password, ClientOptions{AllowPublicKeyRetrieval: true}, ServerOptions{RSAKey: key}, 1, true},
		{"sha256, key known", SHA256Password, ClientOptions{ServerPublicKey: public}, ServerOptions{RSAKey: key}, 0, true},
		{"sha256 over unix socket", SHA256Password, unix, ServerOptions{Secure: true, UnixSocket: true, RSAKey: key}, 1, true},
		{"ed25519", Ed25519, ClientOptions{}, ServerOptions{}, 0, true},
		{"clear over TLS", ClearPassword, secure, ServerOptions{Secure: true}, 0, false},
		{"clear over unix socket", ClearPassword, unix, ServerOptions{Secure: true, UnixSocket: true}, 0, false},
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	const right = "s3cret pässword"
	for _, v := range variants(t) {
		for _, p := range []struct {
			name, client, server string
			want                 State
		}{
			{"right", right, right, OK},
			{"wrong", "s3cret pässwore", right, Denied},
			{"prefix", right[:5], right, Denied},
			{"longer", right + "x", right, Denied},
			{"with zero byte", right + "\x00", right, Denied},
			{"both empty", "", "", OK},
			{"client empty", "", right, Denied},
			{"server empty", right, "", Denied},
			{"longest", strings.Repeat("x", 200), strings.Repeat("x", 200), OK},
		} {
			t.Run(v.name+"/"+p.name, func(t *testing.T) {
				t.Parallel()
				co, so := v.co, v.so
				co.User, co.Password, so.User, so.Password = "u", p.client, "u", p.server
				c, s := pair(t, v.plugin, co, so)
				x, err := login(c, s)
				if p.name == "wrong" && v.so.CacheHit {
					// The fast path failed: the full one is wanted, and refused here for want of a key.
					if err == nil || x.state != More {
						t.Errorf("state %v, error %v, want a demand for the password that the client refuses", x.state, err)
					}
					return
				}
				if v.so.CacheHit && p.want == Denied && p.client != "" {
					if x.state == OK {
						t.Error("logged in")
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if x.state != p.want {
					t.Errorf("state = %v, want %v", x.state, p.want)
				}
				if p.name == "right" && len(x.sends) != v.sends {
					t.Errorf("server sent %d packets, want %d", len(x.sends), v.sends)
				}
				all := bytes.Join(x.replies, nil)
				if p.name == "right" && bytes.Contains(all, []byte(right)) == v.hidden {
					t.Errorf("password readable in %q: %v, want %v", all, !v.hidden, v.hidden)
				}
				if _, _, err := s.Next(nil); !errors.Is(err, errEnded) {
					t.Errorf("Next after the decision: error %v, want %v", err, errEnded)
				}
			})
		}
	}
}

// A wrong hash at a server with a filled cache leads to the full login, which decides.
func TestCachingStaleCache(t *testing.T) {
	t.Parallel()
	c, s := pair(t, CachingSHA2Password,
		ClientOptions{Password: "old", Secure: true},
		ServerOptions{Password: "new", Secure: true, CacheHit: true})
	x, err := login(c, s)
	if err != nil {
		t.Fatal(err)
	}
	if x.state != Denied || len(x.sends) != 1 || !bytes.Equal(x.sends[0], []byte{cachingFullAuth}) {
		t.Errorf("state %v after %x, want denied after 04", x.state, x.sends)
	}
}

func TestSocket(t *testing.T) {
	t.Parallel()
	for _, plugin := range []string{UnixSocket, AuthSocket} {
		for _, tt := range []struct {
			name string
			so   ServerOptions
			want State
		}{
			{"same user", ServerOptions{User: "ann", PeerUser: "ann", Secure: true, UnixSocket: true}, OK},
			{"other user", ServerOptions{User: "ann", PeerUser: "bob", Secure: true, UnixSocket: true}, Denied},
			{"nobody known", ServerOptions{Secure: true, UnixSocket: true}, Denied},
			{"not a socket", ServerOptions{User: "ann", PeerUser: "ann", Secure: true}, Denied},
		} {
			t.Run(plugin+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				c, s := pair(t, plugin, ClientOptions{User: "ann", Password: "unused"}, tt.so)
				x, err := login(c, s)
				if err != nil {
					t.Fatal(err)
				}
				if x.state != tt.want {
					t.Errorf("state = %v, want %v", x.state, tt.want)
				}
				if len(x.replies[0]) != 0 {
					t.Errorf("client sent %q, want nothing", x.replies[0])
				}
			})
		}
	}
}

// What must not leave an insecure transport does not, and the error says what would help but not the password.
func TestClientRefuses(t *testing.T) {
	t.Parallel()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&ec.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	ecPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	c20, c32 := bytes.Repeat([]byte("c"), 20), bytes.Repeat([]byte("c"), 32)
	for _, tt := range []struct {
		name, plugin string
		o            ClientOptions
		challenge    []byte
		data         [][]byte
		want         string
	}{
		{"clear", ClearPassword, ClientOptions{}, nil, nil, "TLS or a unix socket"},
		{"caching full", CachingSHA2Password, ClientOptions{}, c20, [][]byte{{4}}, "needs TLS"},
		{"sha256", SHA256Password, ClientOptions{}, c20, nil, "needs TLS"},
		{"native short challenge", NativePassword, ClientOptions{}, c20[:19], nil, "challenge of 19 bytes"},
		{"native long challenge", NativePassword, ClientOptions{}, c32, nil, "challenge of 32 bytes"},
		{"caching no challenge", CachingSHA2Password, ClientOptions{}, nil, nil, "challenge of 0 bytes"},
		{"ed25519 short challenge", Ed25519, ClientOptions{}, c20, nil, "challenge of 20 bytes"},
		{"native more data", NativePassword, ClientOptions{}, c20, [][]byte{{1}}, "unexpected 1 bytes"},
		{"ed25519 more data", Ed25519, ClientOptions{}, c32, [][]byte{{1}}, "unexpected 1 bytes"},
		{"clear more data", ClearPassword, ClientOptions{Secure: true}, nil, [][]byte{{1}}, "unexpected 1 bytes"},
		{"socket more data", UnixSocket, ClientOptions{}, nil, [][]byte{{1}}, "unexpected 1 bytes"},
		{"caching odd byte", CachingSHA2Password, ClientOptions{}, c20, [][]byte{{5}}, "unexpected 1 bytes"},
		{"caching twice", CachingSHA2Password, ClientOptions{}, c20, [][]byte{{3}, {4}}, "unexpected 1 bytes"},
		{"sha256 over TLS more data", SHA256Password, ClientOptions{Secure: true}, c20, [][]byte{{1}}, "unexpected 1 bytes"},
		{"no PEM", CachingSHA2Password, ClientOptions{AllowPublicKeyRetrieval: true}, c20, [][]byte{{4}, []byte("key")}, "no PEM"},
		{"bad PEM", SHA256Password, ClientOptions{AllowPublicKeyRetrieval: true}, c20, [][]byte{[]byte("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")}, "public key"},
		{"bad PKCS1", SHA256Password, ClientOptions{ServerPublicKey: []byte("-----BEGIN RSA PUBLIC KEY-----\nAAAA\n-----END RSA PUBLIC KEY-----\n")}, c20, nil, "public key"},
		{"not RSA", CachingSHA2Password, ClientOptions{ServerPublicKey: ecPEM}, c20, [][]byte{{4}}, "want an RSA key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const password = "p4ssw0rd-in-no-error"
			tt.o.User, tt.o.Password = "u", password
			c, err := NewClient(tt.plugin, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			reply, err := c.Start(tt.challenge)
			for _, d := range tt.data {
				if err != nil {
					t.Fatalf("error too early: %v", err)
				}
				reply, _, err = c.Next(d)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error = %v, want one with %q", err, tt.want)
			}
			if reply != nil {
				t.Errorf("reply %q besides the error", reply)
			}
			if strings.Contains(err.Error(), password) {
				t.Errorf("error shows the password: %v", err)
			}
			if !strings.Contains(err.Error(), tt.plugin) {
				t.Errorf("error %q does not name %s", err, tt.plugin)
			}
		})
	}
}

func TestTooLongForKey(t *testing.T) {
	t.Parallel()
	c, s := pair(t, SHA256Password,
		ClientOptions{Password: strings.Repeat("x", 300), AllowPublicKeyRetrieval: true},
		ServerOptions{Password: "x", RSAKey: testKey()})
	if _, err := login(c, s); err == nil || !strings.Contains(err.Error(), "2048 bits") {
		t.Errorf("error = %v, want one that names the key's 2048 bits", err)
	}
}

func TestServerErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, plugin string
		o            ServerOptions
		replies      [][]byte
		want         string // empty: denied without error
	}{
		{"clear insecure", ClearPassword, ServerOptions{Password: "x"}, [][]byte{[]byte("x\x00")}, "TLS or a unix socket"},
		{"caching hash cut", CachingSHA2Password, ServerOptions{Password: "x"}, [][]byte{make([]byte, 31)}, "hash of 31 bytes"},
		{"caching no key", CachingSHA2Password, ServerOptions{Password: "x"}, [][]byte{make([]byte, 32), {2}}, "no RSA key"},
		{"sha256 no key", SHA256Password, ServerOptions{Password: "x"}, [][]byte{{1}}, "no RSA key"},
		{"sealed garbage", SHA256Password, ServerOptions{Password: "x", RSAKey: testKey()}, [][]byte{make([]byte, 256)}, ""},
		{"key asked for twice", SHA256Password, ServerOptions{Password: "x", RSAKey: testKey()}, [][]byte{{1}, {1}}, ""},
		{"native hash cut", NativePassword, ServerOptions{Password: "x"}, [][]byte{make([]byte, 19)}, ""},
		{"signature cut", Ed25519, ServerOptions{Password: "x"}, [][]byte{make([]byte, 63)}, ""},
		{"nothing signed", Ed25519, ServerOptions{}, [][]byte{nil}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := NewServer(tt.plugin, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			var state State
			for i, r := range tt.replies {
				if _, state, err = s.Next(r); i < len(tt.replies)-1 && state != More {
					t.Fatalf("decided too early: %v", state)
				}
			}
			if state != Denied {
				t.Errorf("state = %v, want denied", state)
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestUnknownPlugin(t *testing.T) {
	t.Parallel()
	_, clientErr := NewClient("auth_gssapi_client", ClientOptions{})
	_, serverErr := NewServer("auth_gssapi_client", ServerOptions{})
	for _, err := range []error{clientErr, serverErr} {
		if err == nil {
			t.Fatal("no error")
		}
		for _, name := range append(Plugins(), "auth_gssapi_client") {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("error %q does not name %s", err, name)
			}
		}
	}
	if Known("auth_gssapi_client") || !Known(Ed25519) {
		t.Error("Known disagrees")
	}
}

func TestChallenge(t *testing.T) {
	t.Parallel()
	for _, plugin := range Plugins() {
		a, err := NewServer(plugin, ServerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewServer(plugin, ServerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Challenge()) > 0 && bytes.Equal(a.Challenge(), b.Challenge()) {
			t.Errorf("%s: the same challenge twice", plugin)
		}
		for _, c := range a.Challenge() {
			if c < 0x21 || c > 0x7e {
				t.Errorf("%s: byte %#x in the challenge", plugin, c)
			}
		}
		given := bytes.Repeat([]byte("g"), len(a.Challenge()))
		c, err := NewServer(plugin, ServerOptions{Challenge: given})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(c.Challenge(), given) {
			t.Errorf("%s: challenge %q, want the given %q", plugin, c.Challenge(), given)
		}
		if _, err := NewServer(plugin, ServerOptions{Challenge: append(given, 'g')}); err == nil {
			t.Errorf("%s: a challenge that is too long was taken", plugin)
		}
	}
	if _, err := NewServer(NativePassword, ServerOptions{Random: strings.NewReader("short")}); err == nil {
		t.Error("a random source that ends was taken")
	}
}
