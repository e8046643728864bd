package target

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"deltabench/internal/admin"
	"deltabench/internal/study"
)

// ManagedConfig is where a server of ours lives.
type ManagedConfig struct {
	Binary Binary
	Dir    string   // its own directory; made when it is not there
	Init   []string // arguments of initialising
	CPUs   string   // CPUs that it may use, as of taskset; empty: any
}

// ManagedServer is a MySQL or MariaDB server on a private data directory, port and socket. It ends when this process does, however
// that ends. Its methods are for one goroutine at a time, but for Crashed.
type ManagedServer struct {
	config  ManagedConfig
	account account
	socket  string // in a directory of its own: paths of sockets are short
	port    int

	second *replica // nil: none

	mu      sync.Mutex
	running *serverProcess
}

// account is what we log in with. It is kept beside the data.
type account struct {
	User     string `json:"user"`
	Password string `json:"password"`
	DB       string `json:"db"`
}

// Names in a server's directory.
const (
	dataDir     = "data"
	imageDir    = "image"
	imageMark   = "image.complete"
	accountFile = "account.json"
	processFile = "server.json"
	optionsFile = "my.cnf"
	logFile     = "error.log"
	tmpDir      = "tmp" // of its own: a server that starts removes temporary tables of others in a directory that they share
)

// serverUser and serverDB are our account and the schema of the tables.
const (
	serverUser = "deltabench"
	serverDB   = "sbtest"
)

// Times that a server has. Starts and stops take a second or two; recovery and flushing of large pools take longer.
const (
	serverStartLimit = 3 * time.Minute
	serverStopLimit  = 2 * time.Minute
	pollEvery        = 50 * time.Millisecond
)

// NewManaged returns the server of a directory. Nothing is started.
func NewManaged(c ManagedConfig) (*ManagedServer, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory of a server: %w", err)
	}
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("directory of a server: %w", err)
	}
	m := &ManagedServer{config: c}
	text, err := os.ReadFile(m.path(accountFile))
	switch {
	case err == nil:
		if err := json.Unmarshal(text, &m.account); err != nil {
			return nil, fmt.Errorf("%s: %w", m.path(accountFile), err)
		}
	case len(entries) > 0:
		return nil, fmt.Errorf("%s has files that are not of a server of ours: name another directory with --work-dir", c.Dir)
	default:
		m.account = account{User: serverUser, Password: rand.Text(), DB: serverDB}
		text, err := json.Marshal(m.account)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(m.path(accountFile), text, 0o600); err != nil {
			return nil, err
		}
	}
	sockets, err := os.MkdirTemp("", "dbs")
	if err != nil {
		return nil, err
	}
	m.socket = filepath.Join(sockets, "s")
	return m, nil
}

func (m *ManagedServer) path(name string) string { return filepath.Join(m.config.Dir, name) }

// Address is our account over the socket.
func (m *ManagedServer) Address() admin.Address {
	return admin.Address{User: m.account.User, Password: m.account.Password, DB: m.account.DB, Socket: m.socket}
}

// AddressTCP is our account over TCP, on the loopback interface.
func (m *ManagedServer) AddressTCP() admin.Address {
	return admin.Address{User: m.account.User, Password: m.account.Password, DB: m.account.DB, Host: "127.0.0.1", Port: m.port}
}

// PID is the process of the running server, 0 without one.
func (m *ManagedServer) PID() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running == nil {
		return 0
	}
	return m.running.pid
}

// Version is that of its program.
func (m *ManagedServer) Version() string { return m.config.Binary.Version }

// UseBinary makes the next start that of another program on the same data.
func (m *ManagedServer) UseBinary(b Binary) { m.config.Binary = b }

// Crashed says why the server ended by itself; ok is false while it runs, and after Stop.
func (m *ManagedServer) Crashed() (why string, ok bool) {
	m.mu.Lock()
	p := m.running
	m.mu.Unlock()
	if p == nil {
		return "", false
	}
	select {
	case <-p.done:
		return fmt.Sprintf("the server ended by itself (%s): %s", p.err(), m.said(p.logStart)), true
	default:
		return "", false
	}
}

// Close stops the server and removes its directory.
func (m *ManagedServer) Close() error {
	err := m.Stop(context.Background())
	if m.second != nil {
		err = errors.Join(err, m.second.Close())
	}
	return errors.Join(err, os.RemoveAll(filepath.Dir(m.socket)), os.RemoveAll(m.config.Dir))
}

// Leave stops the server; its directory stays, for NewManaged of another process.
func (m *ManagedServer) Leave() error {
	err := m.Stop(context.Background())
	if m.second != nil {
		err = errors.Join(err, m.second.Leave())
	}
	return errors.Join(err, os.RemoveAll(filepath.Dir(m.socket)))
}

// BaseOptions are what every server of ours is started with, besides its places. What is remembered of one start must not reach the
// next one, and names are not resolved, which would make logins wait for a name server.
func BaseOptions() []study.Option {
	return []study.Option{
		{Name: "skip_name_resolve", Value: "ON"},
		{Name: "loose_innodb_buffer_pool_load_at_startup", Value: "OFF"},
		{Name: "loose_innodb_buffer_pool_dump_at_shutdown", Value: "OFF"},
	}
}

// writeOptions writes the option file of a start; later options win.
func (m *ManagedServer) writeOptions(options []study.Option) error {
	var b strings.Builder
	b.WriteString("# Written by deltabench for each start of this server.\n[mysqld]\n")
	set := func(name, value string) { fmt.Fprintf(&b, "%s = %s\n", name, quotedOption(value)) }
	set("datadir", m.path(dataDir))
	set("socket", m.socket)
	set("port", fmt.Sprint(m.port))
	set("bind_address", "127.0.0.1")
	set("pid_file", m.path("server.pid"))
	set("log_error", m.path(logFile))
	set("tmpdir", m.path(tmpDir))
	if os.Geteuid() == 0 {
		set("user", "root")
	}
	if m.config.Binary.Flavour == "mysql" {
		set("loose_mysqlx", "OFF") // it would take a port of its own
	}
	for _, list := range [][]study.Option{BaseOptions(), options} {
		for _, o := range list {
			if o.Value == "" {
				fmt.Fprintln(&b, o.Name)
				continue
			}
			set(o.Name, o.Value)
		}
	}
	return os.WriteFile(m.path(optionsFile), []byte(b.String()), 0o600)
}

// quotedOption is a value of an option file (MySQL manual, "Using Option Files"): # begins a comment unless it is quoted, and a
// backslash an escape.
func quotedOption(value string) string {
	value = strings.ReplaceAll(value, `\`, `\\`)
	if strings.ContainsAny(value, "# ;") && !strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, "'") {
		return `"` + value + `"`
	}
	return value
}

// freePort returns a TCP port of the loopback interface that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Initialise makes the data directory, with our account and an empty schema, and leaves the server stopped.
func (m *ManagedServer) Initialise(ctx context.Context) error {
	data := m.path(dataDir)
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	cmd, err := m.installer(ctx, data)
	if err == nil {
		err = os.MkdirAll(m.path(tmpDir), 0o700)
	}
	if err != nil {
		return err
	}
	release := keepThread()
	dieWithUs(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	out, err := cmd.CombinedOutput()
	release()
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		text, _ := os.ReadFile(m.path(logFile))
		return fmt.Errorf("initialise the data of %s: %s", m.config.Binary, orError(worstLine(string(out)+string(text)), err))
	}
	if err := m.Start(ctx, nil); err != nil {
		return err
	}
	err = m.makeAccount(ctx)
	return errors.Join(err, m.Stop(context.WithoutCancel(ctx)))
}

// installer is the command that makes a data directory.
func (m *ManagedServer) installer(ctx context.Context, data string) (*exec.Cmd, error) {
	b := m.config.Binary
	asRoot := []string(nil)
	if os.Geteuid() == 0 {
		asRoot = []string{"--user=root"}
	}
	if b.Flavour == "mysql" {
		args := append([]string{"--no-defaults", "--initialize-insecure", "--datadir=" + data, "--tmpdir=" + m.path(tmpDir), "--log-error=" + m.path(logFile)}, asRoot...)
		return exec.CommandContext(ctx, b.Path, append(args, m.config.Init...)...), nil
	}
	root := filepath.Dir(filepath.Dir(b.Path))
	for _, name := range []string{"mariadb-install-db", "mysql_install_db"} {
		for _, dir := range []string{filepath.Dir(b.Path), filepath.Join(root, "bin"), filepath.Join(root, "scripts"), ""} {
			path := filepath.Join(dir, name)
			if dir == "" {
				var err error
				if path, err = exec.LookPath(name); err != nil {
					continue
				}
			}
			if isFile(path) {
				args := append([]string{"--no-defaults", "--datadir=" + data, "--tmpdir=" + m.path(tmpDir), "--auth-root-authentication-method=normal", "--skip-test-db", "--basedir=" + root}, asRoot...)
				return exec.CommandContext(ctx, path, append(args, m.config.Init...)...), nil
			}
		}
	}
	return nil, fmt.Errorf("mariadb-install-db was not found beside %s or on the PATH; it makes data directories", b.Path)
}

// makeAccount makes our account with the rights of everything, and closes root's: its password is thrown away.
func (m *ManagedServer) makeAccount(ctx context.Context) error {
	s, err := admin.Open(ctx, admin.Address{User: "root", Socket: m.socket})
	if err != nil {
		return err
	}
	defer s.Close()
	statements := []string{"CREATE DATABASE " + m.account.DB}
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		who := fmt.Sprintf("'%s'@'%s'", m.account.User, host)
		statements = append(statements, "CREATE USER "+who+" IDENTIFIED BY '"+m.account.Password+"'", "GRANT ALL ON *.* TO "+who+" WITH GRANT OPTION")
	}
	statements = append(statements, "ALTER USER 'root'@'localhost' IDENTIFIED BY '"+rand.Text()+"'")
	for _, q := range statements {
		if err := s.Exec(ctx, q); err != nil {
			return errors.New(strings.ReplaceAll(err.Error(), m.account.Password, "***"))
		}
	}
	return nil
}
