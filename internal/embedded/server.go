package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/sirupsen/logrus"
)

// version is what clients are told; the engine follows MySQL 8.0.
const version = "8.0.31-deltabench-embedded"

// Options say where a server listens and whom it lets in.
type Options struct {
	Host     string // a loopback address
	Port     int    // 0: a free one
	User     string // the only account
	Password string // may be empty
	DB       string // created at the start
}

// Server is an embedded server.
type Server struct {
	locks    locks
	listener net.Listener
	server   *server.Server
	engine   *sqle.Engine
}

// Facts are what users of numbers from this server have to know, one line each.
func Facts() []string {
	return []string{
		"what it is: a server with MySQL's protocol and SQL, for seeing and for tests; it is not a MySQL, and no number from it says anything about one",
		"storage: ordered indexes in memory; nothing is on disk, everything is gone when the server ends",
		"transactions: statements are atomic, ROLLBACK undoes, written rows stay locked until the transaction ends, deadlocks are error 1213",
		"not isolated: all reads are READ UNCOMMITTED: they see what others have changed and not committed, and there are no gap locks",
	}
}

// Listen makes a server whose port is open. Serve lets clients in.
func Listen(o Options) (*Server, error) {
	address := net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
	if ip := net.ParseIP(o.Host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("listen on %s: the embedded server listens on this machine only (127.0.0.1 or ::1)", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, fmt.Errorf("listen on %s: %w (port 0 takes a free one)", address, err)
	}
	s := &Server{listener: l, locks: locks{wait: lockWait}}
	if err := s.build(o); err != nil {
		_ = l.Close() // the other error is the one that counts
		return nil, err
	}
	return s, nil
}

// build puts the engine together.
func (s *Server) build(o Options) error {
	logrus.SetOutput(io.Discard) // clients get their errors; there is nobody to read them here
	logrus.SetLevel(logrus.PanicLevel)
	databases := &provider{locks: &s.locks, databases: map[string]*database{}}
	if err := databases.CreateDatabase(nil, o.DB); err != nil {
		return err
	}
	a := analyzer.NewBuilder(databases).Build()
	a.Catalog.StatsProvider = stats{}
	s.engine = sqle.New(a, &sqle.Config{})
	s.engine.Parser = parser{s.engine.Parser}
	a.Parser = s.engine.Parser
	// No statement reads or writes files of this machine.
	if err := sql.SystemVariables.AssignValues(map[string]any{"secure_file_priv": "/nonexistent", "local_infile": int8(1)}); err != nil {
		return fmt.Errorf("set system variables: %w", err)
	}
	var err error
	s.server, err = server.NewServerWithHandler(
		server.Config{
			Protocol: "tcp", Address: s.listener.Addr().String(), Listener: s.listener, Version: version,
			ProtocolListenerFactory: func(c server.Config, l mysql.ListenerConfig, e server.ServerEventListener) (server.ProtocolListener, error) {
				l.AuthServer = &login{user: o.User, password: o.Password}
				return server.MySQLProtocolListenerFactory(c, l, e)
			},
		},
		s.engine, sql.NewContext, s.newSession, nil,
		func(h mysql.Handler) (mysql.Handler, error) { return handler{h}, nil },
	)
	if err != nil {
		return fmt.Errorf("build the server: %w", err)
	}
	return nil
}

// Port returns the TCP port.
func (s *Server) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// Serve serves clients until ctx ends, then closes their connections and the port.
func (s *Server) Serve(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- s.server.Start() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	_ = s.server.Close() // ends Start
	<-done
	_ = s.engine.Close()
	return nil
}
