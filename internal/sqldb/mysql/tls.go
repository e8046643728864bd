package mysql

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"slices"
	"strings"
)

// TLSMode says whether connections use TLS, and what is checked of the server's certificate.
type TLSMode int

// The modes, named as in MySQL's --ssl-mode.
const (
	TLSDisabled       TLSMode = iota
	TLSPreferred              // when the server offers it, unchecked
	TLSRequired               // unchecked
	TLSVerifyCA               // the certificate must come from the CA
	TLSVerifyIdentity         // and be for the host that was connected to
)

var tlsModes = []string{"disabled", "preferred", "required", "verify_ca", "verify_identity"}

func (m TLSMode) String() string {
	if m >= 0 && int(m) < len(tlsModes) {
		return tlsModes[m]
	}
	return fmt.Sprintf("TLSMode(%d)", int(m))
}

// ParseTLSMode returns the mode of a name in any case.
func ParseTLSMode(name string) (TLSMode, error) {
	if i := slices.Index(tlsModes, strings.ToLower(name)); i >= 0 {
		return TLSMode(i), nil
	}
	return 0, fmt.Errorf("TLS mode %q is unknown; known are %s", name, strings.Join(tlsModes, ", "))
}

// tlsConfig returns the configuration of cfg, without ServerName; nil when TLS is off.
func tlsConfig(cfg *Config) (*tls.Config, error) {
	if cfg.TLS == TLSDisabled {
		return nil, nil
	}
	if cfg.TLS < 0 || cfg.TLS > TLSVerifyIdentity {
		return nil, fmt.Errorf("TLS mode %d is unknown", int(cfg.TLS))
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	switch {
	case cfg.TLSCA != "":
		pem, err := os.ReadFile(cfg.TLSCA)
		if err != nil {
			return nil, fmt.Errorf("read TLS CA: %w", err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read TLS CA: no certificate in %s", cfg.TLSCA)
		}
	case cfg.TLS >= TLSVerifyCA:
		// Now, since it reads files.
		roots, err := x509.SystemCertPool()
		if err != nil {
			return nil, fmt.Errorf("read the system's CA certificates: %w", err)
		}
		t.RootCAs = roots
	}
	if cfg.TLSCert != "" || cfg.TLSKey != "" {
		cert, err := tls.LoadX509KeyPair(cfg.TLSCert, cfg.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("read TLS certificate and key: %w", err)
		}
		t.Certificates = []tls.Certificate{cert}
	}
	if cfg.TLSCipher != "" {
		suites, err := cipherSuites(cfg.TLSCipher)
		if err != nil {
			return nil, err
		}
		t.CipherSuites = suites
	}
	if cfg.TLS < TLSVerifyIdentity {
		t.InsecureSkipVerify = true
	}
	if cfg.TLS == TLSVerifyCA {
		roots := t.RootCAs
		t.VerifyConnection = func(s tls.ConnectionState) error {
			opts := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
			for _, c := range s.PeerCertificates[1:] {
				opts.Intermediates.AddCert(c)
			}
			if _, err := s.PeerCertificates[0].Verify(opts); err != nil {
				return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: err}
			}
			return nil
		}
	}
	return t, nil
}

// openSSLNames are OpenSSL's names of the TLS 1.2 suites that Go has.
var openSSLNames = map[string]uint16{
	"ECDHE-ECDSA-AES128-GCM-SHA256": tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
	"ECDHE-ECDSA-AES256-GCM-SHA384": tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
	"ECDHE-ECDSA-CHACHA20-POLY1305": tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
	"ECDHE-RSA-AES128-GCM-SHA256":   tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	"ECDHE-RSA-AES256-GCM-SHA384":   tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	"ECDHE-RSA-CHACHA20-POLY1305":   tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	"ECDHE-ECDSA-AES128-SHA":        tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA,
	"ECDHE-ECDSA-AES256-SHA":        tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA,
	"ECDHE-RSA-AES128-SHA":          tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
	"ECDHE-RSA-AES256-SHA":          tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
	"AES128-GCM-SHA256":             tls.TLS_RSA_WITH_AES_128_GCM_SHA256,
	"AES256-GCM-SHA384":             tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
	"AES128-SHA":                    tls.TLS_RSA_WITH_AES_128_CBC_SHA,
	"AES256-SHA":                    tls.TLS_RSA_WITH_AES_256_CBC_SHA,
}

// cipherSuites translates a list of OpenSSL names. TLS 1.3 suites cannot be chosen in Go; they are accepted.
func cipherSuites(list string) ([]uint16, error) {
	suites := []uint16{}
	for _, name := range strings.Split(list, ":") {
		id, ok := openSSLNames[strings.ToUpper(name)]
		switch {
		case ok:
			suites = append(suites, id)
		case strings.HasPrefix(strings.ToUpper(name), "TLS_"):
		default:
			known := make([]string, 0, len(openSSLNames))
			for n := range openSSLNames {
				known = append(known, n)
			}
			slices.Sort(known)
			return nil, fmt.Errorf("TLS cipher %q is unknown; known are %s", name, strings.Join(known, ", "))
		}
	}
	if len(suites) == 0 {
		return nil, nil
	}
	return suites, nil
}

// readPublicKey reads the server's RSA key; the login method parses it.
func readPublicKey(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the server's public key: %w", err)
	}
	return pem, nil
}
