package mysql

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/server"

	"deltabench/internal/sqldb"
)

// goServer is a server of go-mysql-org, an independent implementation of the protocol with the login methods that
// MariaDB lacks.
type goServer struct {
	port int
	conf *server.Server
}

// startGoServer starts one whose only user is "u" with password "secret".
func startGoServer(t *testing.T, method string) *goServer {
	t.Helper()
	cert, public := rsaCertificate()
	conf := server.NewServer("8.0.36", gomysql.DEFAULT_COLLATION_ID, method, public, &tls.Config{Certificates: []tls.Certificate{cert}})
	credentials := server.NewInMemoryProvider()
	credentials.AddUser("u", "secret")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	wg.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, nc)
			mu.Unlock()
			wg.Go(func() {
				defer nc.Close()
				c, err := conf.NewCustomizedConn(nc, credentials, goHandler{})
				if err != nil {
					return
				}
				for c.HandleCommand() == nil && !c.Closed() {
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, nc := range open {
			_ = nc.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return &goServer{port: l.Addr().(*net.TCPAddr).Port, conf: conf}
}

// rsaCertificate is a self-signed certificate and its public key in PEM.
var rsaCertificate = sync.OnceValues(func() (tls.Certificate, []byte) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	now := time.Now()
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
})

// goHandler answers each statement with one row.
type goHandler struct{ server.EmptyHandler }

func (goHandler) HandleQuery(string) (*gomysql.Result, error) {
	r, err := gomysql.BuildSimpleTextResultset([]string{"a", "b"}, [][]any{{int64(7), "x"}})
	return gomysql.NewResult(r), err
}

func (goHandler) HandleStmtPrepare(string) (params, columns int, context any, err error) {
	return 1, 2, nil, nil
}

func (goHandler) HandleStmtExecute(context any, _ string, args []any) (*gomysql.Result, error) {
	if len(args) != 1 || args[0] != int64(5) {
		return nil, gomysql.NewDefaultError(gomysql.ER_WRONG_ARGUMENTS, "execute")
	}
	r, err := gomysql.BuildSimpleBinaryResultset([]string{"a", "b"}, [][]any{{int64(7), "x"}})
	return gomysql.NewResult(r), err
}

func (goHandler) HandleStmtClose(any) error { return nil }

func TestLoginMethodsOfGoMySQL(t *testing.T) {
	for _, method := range []string{gomysql.AUTH_NATIVE_PASSWORD, gomysql.AUTH_CACHING_SHA2_PASSWORD, gomysql.AUTH_SHA256_PASSWORD} {
		for _, mode := range []TLSMode{TLSDisabled, TLSRequired} {
			t.Run(method+"/"+mode.String(), func(t *testing.T) {
				s := startGoServer(t, method)
				cfg := Config{Hosts: []string{"127.0.0.1"}, Ports: []int{s.port}, User: "u", Password: "secret", TLS: mode}
				cl := newClientFor(t, cfg)
				// The first login of caching_sha2_password is a full one, the second takes the fast path.
				for range 2 {
					c := cl.connect(t)
					if got := query(t, c, "SELECT"); len(got) != 1 || strings.Join(got[0], ",") != "7,x" {
						t.Errorf("rows: got %v", got)
					}
					st, err := c.Prepare("SELECT ?", 0, sqldb.IntParam)
					if err != nil {
						t.Fatal(err)
					}
					st.SetInt(0, 5)
					// Once only: this server wants the parameters' types each time, where the protocol has them once.
					if res, err := st.Execute(); err != nil || res.Rows != 1 {
						t.Errorf("execute: got %+v, %v", res, err)
					}
					if got := c.Transport(); got.AuthMethod != method || (got.TLS != "") != (mode == TLSRequired) {
						t.Errorf("transport: got %+v", got)
					}
				}
				cfg.Password = "wrong"
				cl = newClientFor(t, cfg)
				_, err := cl.Connect(cl.env, nil)
				var e *sqldb.Error
				if !errors.As(err, &e) || e.Code != gomysql.ER_ACCESS_DENIED_ERROR {
					t.Errorf("wrong password: got %v, want error 1045\n%s", err, cl.log)
				}
			})
		}
	}
}
