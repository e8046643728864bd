package mariadbtest

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Accounts made in every server; see the package comment.
const (
	User        = "sbtest"
	Ed25519User = "ed"
	Password    = "pw" // of both
)

// defaultStartTimeout bounds a start on a machine that is busy with other tests.
const defaultStartTimeout = 90 * time.Second

// maxSocketPath is the longest path that sockaddr_un takes on Linux, without its final zero byte.
const maxSocketPath = 107

// defaultArgs make a throwaway server quick. Arguments of WithArgs come later and win.
var defaultArgs = []string{
	"--bind-address=127.0.0.1",
	"--skip-name-resolve",
	"--skip-log-bin",
	"--innodb-flush-log-at-trx-commit=0",
	"--innodb-buffer-pool-size=64M",
	"--innodb-log-file-size=64M",
	"--performance-schema=OFF",
	"--max-connections=500",
	"--innodb-fast-shutdown=1",
}

// Server is a running MariaDB server. Its fields do not change after the start. Methods may be called by
// several goroutines, except that Kill, Shutdown, Restart and Close are for one goroutine at a time.
type Server struct {
	Addr       string // host:port
	Host       string // 127.0.0.1
	Port       int
	Socket     string // path of the Unix socket
	DataDir    string
	Log        string        // path of the server's error log
	Version    string        // such as 10.11.19-MariaDB
	SocketUser string        // account that logs in by unix_socket
	TLS        *Certificates // nil without WithTLS

	cfg      config
	rundir   string // holds the socket: short, as socket paths are limited
	proc     *process
	ownedDir string // removed by Close, when not empty
}

// Option changes how a server is started.
type Option func(*config)

type config struct {
	args    []string
	tls     bool
	files   int
	timeout time.Duration
}

// WithArgs adds arguments of mariadbd, such as "--max-connections=2000". They win over the defaults.
func WithArgs(args ...string) Option {
	return func(c *config) { c.args = append(c.args, args...) }
}

// WithTLS makes a certificate authority and certificates (see Server.TLS) and switches TLS on.
func WithTLS() Option { return func(c *config) { c.tls = true } }

// WithFileLimit lets the server open at most n files, unless it may raise that itself.
func WithFileLimit(n int) Option { return func(c *config) { c.files = n } }

// WithTimeout bounds the start; the default is 90 s.
func WithTimeout(d time.Duration) Option { return func(c *config) { c.timeout = d } }

// StartProcess starts a server whose data directory is dir/data, which must not exist yet. The caller
// calls Close. It is Start without a test, for tools.
func StartProcess(dir string, opts ...Option) (*Server, error) {
	s := &Server{Host: "127.0.0.1", cfg: config{timeout: defaultStartTimeout}}
	for _, o := range opts {
		o(&s.cfg)
	}
	bin, err := findBinaries()
	if err != nil {
		return nil, err
	}
	tmpl, err := bin.template()
	if err != nil {
		return nil, err
	}
	s.Version, s.SocketUser = bin.version, osUser()
	s.DataDir = filepath.Join(dir, "data")
	s.Log = filepath.Join(dir, "error.log")
	if err := copyTree(s.DataDir, tmpl); err != nil {
		return nil, fmt.Errorf("copy the data directory template: %w", err)
	}
	if s.cfg.tls {
		if s.TLS, err = NewCertificates(filepath.Join(dir, "tls")); err != nil {
			return nil, err
		}
	}
	if s.rundir, err = os.MkdirTemp("", "mdb"); err != nil {
		return nil, err
	}
	s.Socket = filepath.Join(s.rundir, "s.sock")
	if len(s.Socket) > maxSocketPath {
		os.RemoveAll(s.rundir)
		return nil, fmt.Errorf("socket path %s is longer than %d bytes; set TMPDIR to a shorter directory", s.Socket, maxSocketPath)
	}
	// The port is free now but another process may take it before the server does: try again then.
	for range 3 {
		if s.Port, err = freePort(); err != nil {
			break
		}
		s.Addr = net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
		if err = s.start(); err == nil {
			return s, nil
		}
		if !logContains(s.Log, "Address already in use") {
			break
		}
	}
	os.RemoveAll(s.rundir)
	return nil, err
}

// start runs the server and waits until it answers.
func (s *Server) start() error {
	bin, err := findBinaries()
	if err != nil {
		return err
	}
	args := []string{
		"--no-defaults",
		"--datadir=" + s.DataDir,
		"--socket=" + s.Socket,
		"--port=" + strconv.Itoa(s.Port),
		"--pid-file=" + filepath.Join(s.rundir, "pid"),
		"--log-error=" + s.Log,
	}
	args = append(args, asRoot()...)
	args = append(args, defaultArgs...)
	if s.TLS != nil {
		args = append(args, "--ssl-ca="+s.TLS.CA, "--ssl-cert="+s.TLS.ServerCert, "--ssl-key="+s.TLS.ServerKey)
	}
	args = append(args, s.cfg.args...)
	cmd := exec.Command(bin.mariadbd, args...)
	if s.cfg.files > 0 {
		cmd = exec.Command("sh", append([]string{"-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(s.cfg.files), bin.mariadbd}, args...)...)
	}
	p, err := startProcess(cmd)
	if err != nil {
		return fmt.Errorf("start mariadbd: %w", err)
	}
	s.proc = p
	if err := s.waitReady(); err != nil {
		p.kill()
		return fmt.Errorf("%w; end of %s:\n%s", err, s.Log, tail(s.Log, 20))
	}
	return nil
}

// waitReady returns once the server answers, ends, or the timeout of the start has passed.
func (s *Server) waitReady() error {
	deadline := time.Now().Add(s.cfg.timeout)
	db, err := s.Open("")
	if err != nil {
		return err
	}
	defer db.Close()
	for {
		err := db.Ping()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("mariadbd does not answer within %v: %w", s.cfg.timeout, err)
		}
		select {
		case <-s.proc.exited:
			return fmt.Errorf("mariadbd ended during its start (%v)", s.proc.state())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Open returns connections of root over the socket, with database as the default schema (may be empty).
// The caller closes it.
func (s *Server) Open(database string) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = "root", "unix", s.Socket, database
	c.Logger = silent{} // connects that fail are the caller's to report; the start makes many
	con, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("configure the connection to %s: %w", s.Socket, err)
	}
	return sql.OpenDB(con), nil
}

type silent struct{}

func (silent) Print(...any) {}

// PID is the process id of the server.
func (s *Server) PID() int { return s.proc.pid() }

// Running reports whether the process exists. A stopped (SIGSTOP) server is running.
func (s *Server) Running() bool {
	select {
	case <-s.proc.exited:
		return false
	default:
		return true
	}
}

// Close kills the server and removes its socket, and the data directory of a shared server. The data
// directory of StartProcess stays its caller's.
func (s *Server) Close() error {
	s.proc.kill()
	err := os.RemoveAll(s.rundir)
	if s.ownedDir != "" {
		err = errors.Join(err, os.RemoveAll(s.ownedDir))
	}
	return err
}

// terminate ends the server politely.
func (s *Server) terminate() error {
	if !s.Running() {
		return nil
	}
	if err := s.proc.terminate(); err != nil {
		return fmt.Errorf("end mariadbd: %w", err)
	}
	select {
	case <-s.proc.exited:
		return nil
	case <-time.After(s.cfg.timeout):
		return fmt.Errorf("mariadbd does not end within %v of SIGTERM", s.cfg.timeout)
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
