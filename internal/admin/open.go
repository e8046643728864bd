package admin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Address is how a server is reached. Password is never shown.
type Address struct {
	User, Password string
	Host           string
	Port           int
	Socket         string // instead of host and port
	DB             string // may be empty
	TLS            string // a mode of --mysql-ssl in any case: off or disabled, preferred, on or required, verify_ca, verify_identity; empty: off
}

// String is the address without the password.
func (a Address) String() string {
	if a.Socket != "" {
		return a.User + "@" + a.Socket
	}
	return fmt.Sprintf("%s@%s:%d", a.User, a.Host, a.Port)
}

// connectLimit is how long a login may take.
const connectLimit = 10 * time.Second

// Server is a server that answers. Its methods may be called by several goroutines; settings of a session do not stay from one call
// to the next.
type Server struct {
	db      *sql.DB
	address Address
}

// Open connects to a server. Errors name the address and the reason.
func Open(ctx context.Context, a Address) (*Server, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.DBName, c.Timeout = a.User, a.Password, a.DB, connectLimit
	c.Net, c.Addr = "tcp", fmt.Sprintf("%s:%d", a.Host, a.Port)
	if strings.Contains(a.Host, ":") {
		c.Addr = fmt.Sprintf("[%s]:%d", a.Host, a.Port)
	}
	if a.Socket != "" {
		c.Net, c.Addr = "unix", a.Socket
	}
	c.AllowNativePasswords, c.InterpolateParams = true, true
	c.Logger = log.New(io.Discard, "", 0)
	var err error
	if c.TLS, c.AllowFallbackToPlaintext, err = a.tls(); err != nil {
		return nil, fmt.Errorf("%s: %w", a, err)
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a, err)
	}
	s := &Server{db: sql.OpenDB(connector), address: a}
	ping, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	if err := s.db.PingContext(ping); err != nil {
		_ = s.db.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("no login at %s: %w", a, reason(err))
	}
	return s, nil
}

// Server errors that have an advice.
const (
	erAccessDenied = 1045
	erDBAccess     = 1044
	erBadDB        = 1049
	erTooMany      = 1040
)

// reason adds what to do to an error of a login.
func reason(err error) error {
	var m *mysql.MySQLError
	if !errors.As(err, &m) {
		return err
	}
	switch m.Number {
	case erAccessDenied:
		return fmt.Errorf("%w (the password comes from password_env or password_file)", err)
	case erBadDB:
		return fmt.Errorf("%w (create the schema, or name another one with db)", err)
	}
	return err
}

// NotThere reports whether an error says that nobody listens or the server is starting: it may be there later.
func NotThere(err error) bool {
	var m *mysql.MySQLError
	return err != nil && (!errors.As(err, &m) || m.Number == erTooMany)
}

// tls is what the address asks for; nil: no TLS. Certificates are checked against the system's authorities.
func (a Address) tls() (c *tls.Config, fallback bool, err error) {
	c = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: a.Host, InsecureSkipVerify: true}
	switch strings.ToLower(a.TLS) {
	case "", "off", "false", "0", "disabled":
		return nil, false, nil
	case "preferred":
		return c, true, nil
	case "on", "true", "1", "required":
		return c, false, nil
	case "verify_ca": // crypto/tls checks the chain only together with the name
		c.VerifyConnection = func(s tls.ConnectionState) error {
			o := x509.VerifyOptions{Intermediates: x509.NewCertPool()}
			for _, cert := range s.PeerCertificates[1:] {
				o.Intermediates.AddCert(cert)
			}
			_, err := s.PeerCertificates[0].Verify(o)
			return err
		}
		return c, false, nil
	case "verify_identity":
		c.InsecureSkipVerify = false
		return c, false, nil
	}
	return nil, false, fmt.Errorf("TLS mode '%s' is unknown: disabled, preferred, required, verify_ca and verify_identity are", a.TLS)
}
