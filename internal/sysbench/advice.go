package sysbench

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
)

// advice is the line of our face that follows errors of the server and of connections: what to do about it. There is
// one for a run or command, however many threads failed; it is for the first error that has one.
type advice struct {
	mu   sync.Mutex
	text string
}

// note keeps the advice for an error.
func (a *advice) note(req *Request, err error) {
	if a == nil || req.Face == FaceSysbench {
		return
	}
	text := adviceFor(req, err)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.text == "" {
		a.text = text
	}
}

// print writes the advice, if there is one.
func (a *advice) print(log *textlog.Log) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.text != "" {
		log.Noticef("Hint: %s", a.text)
		a.text = ""
	}
}

// adviceFor returns what to do about an error, or "".
func adviceFor(req *Request, err error) string {
	var e *sqldb.Error
	if !errors.As(err, &e) {
		return ""
	}
	d, prog := req.Database, req.Face.program()
	if errors.Is(e.Cause, sqldb.ErrInitSQL) {
		return "correct the statements of --mysql-init-sql, which every connection begins with"
	}
	switch e.Code {
	case 2002, 2003:
		return unreachable(d, e.Cause)
	case 2005:
		return "the host's name is not known here: check --mysql-host, or give the address"
	case 2006, 2013, 2055:
		if errors.Is(e.Cause, os.ErrDeadlineExceeded) {
			return "no answer" + noAnswer(d)
		}
		if errors.Is(err, sqldb.ErrConnect) {
			return "what listens there ended the connection, or is no MySQL server: check --mysql-host and --mysql-port, and the server's error log"
		}
		return "the server ended the connection, or has died: see its error log; with --mysql-ignore-errors=" + strconv.Itoa(e.Code) + " a run connects again and goes on"
	case 2007, 2012, 2027:
		return "what listens there does not speak the MySQL protocol: check --mysql-port"
	case 2026:
		return tlsAdvice(d, e.Cause)
	case 1040, 1203, 1226:
		return "the server accepts no more connections: use fewer --threads, or raise its max_connections (or the account's limit)"
	case 1461:
		return "each thread prepares some 10 statements for every table: raise the server's max_prepared_stmt_count, use fewer --threads or --tables, or --db-ps-mode=disable"
	case 1044:
		return fmt.Sprintf("the account may not use this database: GRANT ALL ON %s.* TO it, or name another one with --mysql-db", backquoted(d.DB))
	case 1045, 1698:
		if d.Password == "" {
			return "no password was sent" + d.whyNoPassword() + ", and check --mysql-user"
		}
		return "check --mysql-user and the password" + inBrackets(d.origin()) + ", and that the account may connect from this host"
	case 1046:
		return "--mysql-db is empty: name the database of the tables"
	case 1049:
		return fmt.Sprintf("create it (CREATE DATABASE %s), or name another one with --mysql-db", backquoted(d.DB))
	case 1050:
		return fmt.Sprintf("the tables are there already; if no other load is running, remove them first: %s %s cleanup, with the same options", prog, typed(req))
	case 1146:
		if req.Command == "prepare" {
			return ""
		}
		if req.Test == legacyTest {
			return fmt.Sprintf("create the table first: %s %s prepare, with the same options, --oltp-table-name and --mysql-db above all", prog, typed(req))
		}
		return fmt.Sprintf("create the tables first: %s %s prepare, with the same options, --tables and --mysql-db above all", prog, req.Name)
	case 1142, 1143, 1227, 1370:
		return "the account lacks a privilege: GRANT it, or use another --mysql-user"
	case 1290, 1792, 1836:
		return "the server is read-only: use one that may be written to, or a test that only reads, such as oltp_read_only"
	case 1129, 1130:
		return "the server refuses this host: check the account's host part, or FLUSH HOSTS there"
	case 3159:
		return "the server wants TLS: --mysql-ssl=required"
	case 1021, 1114, 3675:
		return "the server's disk or tablespace is full"
	}
	return ""
}

// backquoted is a name as it stands in statements.
func backquoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// unreachable is the advice for servers that cannot be connected to.
func unreachable(d *Database, cause error) string {
	local := len(d.Sockets) > 0 || len(d.Hosts) > 0 && d.Hosts[0] == "localhost"
	switch {
	case errors.Is(cause, syscall.EMFILE), errors.Is(cause, syscall.ENFILE):
		return "too many files are open for more connections: raise that with ulimit -n, or use fewer --threads"
	case errors.Is(cause, syscall.EADDRNOTAVAIL):
		return "no local port is left for more connections: use fewer --threads, or a Unix socket"
	case !local && errors.Is(cause, syscall.ECONNREFUSED):
		return "nothing listens there: check that the server runs, and --mysql-host and --mysql-port"
	case !local:
		return "no connection to the host: check --mysql-host and --mysql-port, the network and firewalls"
	case errors.Is(cause, syscall.ENOENT):
		return "there is no such socket: check that the server runs, or give its path with --mysql-socket; --mysql-host=127.0.0.1 uses TCP"
	case errors.Is(cause, syscall.ECONNREFUSED):
		return "no server listens on that socket: check --mysql-socket, or use TCP with --mysql-host=127.0.0.1"
	case errors.Is(cause, syscall.EACCES), errors.Is(cause, syscall.EPERM):
		return "this user may not use the socket: check its permissions, or use TCP with --mysql-host=127.0.0.1"
	case errors.Is(cause, syscall.EINVAL):
		return "the path of a socket may have 107 characters"
	}
	return "check --mysql-socket, or use TCP with --mysql-host=127.0.0.1"
}

// tlsAdvice is the advice for TLS that could not be started.
func tlsAdvice(d *Database, cause error) string {
	switch {
	case cause == nil:
		return "the server offers no TLS: switch it on there, or use --mysql-ssl=preferred or disabled"
	case strings.HasPrefix(d.TLS, "verify"):
		return "the server's certificate must come from the authority in --mysql-ssl-ca and be valid now (and for --mysql-host with verify_identity); --mysql-ssl=required does not check it"
	}
	return "client and server did not agree on TLS: check --mysql-ssl-cert, --mysql-ssl-key and --mysql-ssl-cipher"
}

// silent is the advice for threads that did not become ready in time.
func silent(req *Request, waiting int) string {
	return fmt.Sprintf("%d of %s got no answer", waiting, plural(req.General.Threads, "thread")) + noAnswer(req.Database)
}

func noAnswer(d *Database) string {
	return " from " + serverNames(d) + ": the server hangs or is overloaded, a firewall drops packets, or the port is not MySQL's; --thread-init-timeout=N waits longer"
}

// serverNames lists the servers, shortened when there are many.
func serverNames(d *Database) string {
	names := targetNames(d)
	if len(names) > 3 {
		return strings.Join(names[:3], ", ") + fmt.Sprintf(" and %d more", len(names)-3)
	}
	return strings.Join(names, ", ")
}
