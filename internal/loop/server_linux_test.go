package loop

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// server is an ordinary blocking server, the peer of the loop's connections.
type server struct {
	t        testing.TB
	ln       net.Listener
	wg       sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
	stopping bool
}

// serve starts a server that calls handle for each connection. network is tcp4, tcp6, unix or abstract.
func serve(t testing.TB, network string, handle func(net.Conn)) *server {
	t.Helper()
	address := map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0"}[network]
	switch network {
	case "unix":
		address = filepath.Join(t.TempDir(), "s")
	case "abstract":
		network, address = "unix", "@deltabench-"+filepath.Base(t.TempDir())+t.Name()
	}
	ln, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, ln, handle)
}

func serveOn(t testing.TB, ln net.Listener, handle func(net.Conn)) *server {
	s := &server{t: t, ln: ln}
	s.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			if s.stopping {
				_ = c.Close()
			}
			s.conns = append(s.conns, c)
			s.mu.Unlock()
			s.wg.Go(func() {
				defer func() { _ = c.Close() }()
				handle(c)
			})
		}
	})
	t.Cleanup(s.stop)
	return s
}

// stop closes everything and waits for the server's goroutines.
func (s *server) stop() {
	_ = s.ln.Close()
	s.mu.Lock()
	s.stopping = true
	for _, c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

func (s *server) network() string { return s.ln.Addr().Network() }
func (s *server) address() string { return s.ln.Addr().String() }

// dial connects a task to the server.
func (s *server) dial(task *Task) *Conn {
	c, err := task.Dial(s.network(), s.address(), time.Minute)
	if err != nil {
		s.t.Errorf("dial: %v", err)
		panic(err)
	}
	return c
}

// echo sends back what it reads.
func echo(c net.Conn) {
	b := make([]byte, 32<<10)
	for {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		if _, err := c.Write(b[:n]); err != nil {
			return
		}
	}
}

// certificate makes a self-signed certificate.
func certificate(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"server.test"},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}
