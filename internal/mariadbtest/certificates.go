package mariadbtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Certificates are paths of PEM files: an authority of our own, and a server's and a client's certificate
// signed by it. The server's is valid for localhost, 127.0.0.1 and ::1.
type Certificates struct {
	CA                    string
	ServerCert, ServerKey string
	ClientCert, ClientKey string
}

// NewCertificates makes certificates in dir, which it creates. They are valid for a day.
func NewCertificates(dir string) (*Certificates, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make certificates: %w", err)
	}
	c := &Certificates{
		CA:         filepath.Join(dir, "ca.pem"),
		ServerCert: filepath.Join(dir, "server-cert.pem"), ServerKey: filepath.Join(dir, "server-key.pem"),
		ClientCert: filepath.Join(dir, "client-cert.pem"), ClientKey: filepath.Join(dir, "client-key.pem"),
	}
	ca := newCertificate("deltabench test authority")
	ca.IsCA, ca.BasicConstraintsValid = true, true
	ca.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make certificates: %w", err)
	}
	if err := writeCertificate(c.CA, "", ca, caKey, ca, caKey); err != nil {
		return nil, err
	}
	for _, leaf := range []struct {
		name, cert, key string
		use             x509.ExtKeyUsage
	}{
		{"localhost", c.ServerCert, c.ServerKey, x509.ExtKeyUsageServerAuth},
		{"deltabench test client", c.ClientCert, c.ClientKey, x509.ExtKeyUsageClientAuth},
	} {
		cert := newCertificate(leaf.name)
		cert.KeyUsage = x509.KeyUsageDigitalSignature
		cert.ExtKeyUsage = []x509.ExtKeyUsage{leaf.use}
		if leaf.use == x509.ExtKeyUsageServerAuth {
			cert.DNSNames = []string{"localhost"}
			cert.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
		}
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, fmt.Errorf("make certificates: %w", err)
		}
		if err := writeCertificate(leaf.cert, leaf.key, cert, key, ca, caKey); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func newCertificate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
}

// writeCertificate signs cert by parent and writes it, and its key when keyPath is not empty.
func writeCertificate(certPath, keyPath string, cert *x509.Certificate, key *ecdsa.PrivateKey, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, cert, parent, &key.PublicKey, parentKey)
	if err != nil {
		return fmt.Errorf("sign %s: %w", certPath, err)
	}
	if err := writePEM(certPath, "CERTIFICATE", der); err != nil || keyPath == "" {
		return err
	}
	if der, err = x509.MarshalPKCS8PrivateKey(key); err != nil {
		return fmt.Errorf("encode %s: %w", keyPath, err)
	}
	return writePEM(keyPath, "PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
