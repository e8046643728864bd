package target

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
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
	var err error
	if c.Dir, err = filepath.Abs(c.Dir); err == nil { // the server works in another directory
		err = os.MkdirAll(c.Dir, 0o700)
	}
	if err != nil {
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
		// Its files are nobody else's, whoever made the directory.
		if err := errors.Join(os.Chmod(c.Dir, 0o700), writeWhole(m.path(accountFile), text)); err != nil {
			return nil, fmt.Errorf("directory of a server: %w", err)
		}
	}
	return m, nil
}

// writeWhole writes a private file such that it has all of text or is as it was, whenever this process is killed.
func writeWhole(path string, text []byte) error {
	err := os.WriteFile(path+".new", text, 0o600)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		_ = os.Remove(path + ".new") // on a full disk it takes the last bytes
	}
	return err
}

// longestSocket is how long the path of a socket may be on every system (sun_path of macOS: 104 with its end).
const longestSocket = 103

// makeSocket makes the directory of the socket, which is not in Dir: that may be long, or on a file system without sockets.
func (m *ManagedServer) makeSocket() error {
	if m.socket != "" {
		return nil
	}
	base := os.TempDir()
	if len(base)+len("/dbs1234567890/s") > longestSocket {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "dbs")
	if err != nil {
		return fmt.Errorf("directory of the server's socket: %w", err)
	}
	m.socket = filepath.Join(dir, "s")
	return nil
}

// removeSocket removes a socket, with its lock and its directory; nothing where there is none.
func removeSocket(socket string) {
	if socket == "" {
		return
	}
	for _, path := range []string{socket, socket + ".lock", filepath.Dir(socket)} {
		_ = os.Remove(path) // the server has removed the first two when it ended well
	}
}

func (m *ManagedServer) path(names ...string) string {
	return filepath.Join(append([]string{m.config.Dir}, names...)...)
}

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

// Crashed says why the server ended by itself, or its replica; ok is false while they run, and after Stop.
func (m *ManagedServer) Crashed() (why string, ok bool) {
	if why, ok = m.crashedAlone(); !ok && m.second != nil {
		if why, ok = m.second.Crashed(); ok {
			why = "replica: " + why
		}
	}
	return why, ok
}

func (m *ManagedServer) crashedAlone() (why string, ok bool) {
	m.mu.Lock()
	p := m.running
	m.mu.Unlock()
	if p == nil {
		return "", false
	}
	select {
	case <-p.done:
		return fmt.Sprintf("the server ended by itself (%s): %s", p.err(), lastWords(m.said(p.logStart))), true
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
	removeSocket(m.socket)
	m.socket = ""
	return errors.Join(err, os.RemoveAll(m.config.Dir))
}

// Leave stops the server; its directory stays, for NewManaged of another process.
func (m *ManagedServer) Leave() error {
	err := m.Stop(context.Background())
	if m.second != nil {
		err = errors.Join(err, m.second.Leave())
	}
	removeSocket(m.socket)
	m.socket = ""
	return err
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

// texts are options for which no value is the empty text; for others it switches them on.
var texts = []string{"sql_mode", "old_mode", "init_connect", "init_slave", "init_replica"}

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
			if o.Value == "" && !slices.Contains(texts, o.Name) {
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
