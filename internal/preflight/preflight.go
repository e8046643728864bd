// Package preflight knows, before threads are started, which limits of server and client a run would hit: arithmetic over
// facts, and what to do about it.
//
// Check is pure. Read asks a server for its facts; what it does not tell is not checked, and said so. Limits that are
// hit for certain are fatal findings, mere risks for the measurement are not.
package preflight

import (
	"fmt"
	"slices"
	"strings"

	"deltabench/internal/textlog"
)

// Plan is what a run takes.
type Plan struct {
	Threads  int
	Tables   int // that a thread uses
	PerTable int // statements that a thread keeps prepared for each table
	Other    int // and besides those
	Optional int // of Other, those that the server may be unable to prepare: they need nothing then
}

// prepared is how many statements n threads keep prepared.
func (p Plan) prepared(n int) int64 {
	return int64(n) * (int64(p.PerTable)*int64(p.Tables) + int64(p.Other))
}

// Facts are numbers of a server by name, in lower case: variables, status counters, and some of our own. What is not known
// is not there.
type Facts map[string]int64

// Names of facts that are no variables.
const (
	privileged = "privileged"                 // 1: the account may use the connection kept for administrators; 0: it may not
	ownLimit   = "own max_user_connections"   // of the account, from its session
	ownInUse   = "own connections in use"     // of the account, where it may be known
	connected  = "threads_connected"          // without ours
	preparedN  = "prepared_stmt_count"        //
	openFiles  = "open_files"                 //
	innodbOpen = "innodb_num_open_files"      // MySQL only
	maxConns   = "max_connections"            //
	maxStmts   = "max_prepared_stmt_count"    //
	tableCache = "table_open_cache"           //
	instances  = "table_open_cache_instances" //
	filesLimit = "open_files_limit"           //
	userLimit  = "max_user_connections"       // for all accounts
)

// Server is one of the servers of a run.
type Server struct {
	Name    string // for messages; empty: there is one only
	Threads int    // that connect to it
	TCP     bool
	Facts   Facts
}

// Client is this process and this machine. Zero: not known.
type Client struct {
	FileLimit uint64 // open files of the process
	OwnFiles  int    // that it has open besides connections, at most
	Ports     int    // local ports for connections to one address
	PortRange string // as the system writes it
}

// Finding is what a rule has to say.
type Finding struct {
	Rule  string // name of the limit
	Fatal bool   // the run would fail for certain
	Text  string // with the arithmetic
	Fix   string
}

// Check applies all rules. Fatal findings come first; otherwise they are in the order of rules.
func Check(p Plan, servers []Server, c Client) []Finding {
	var all []Finding
	for _, s := range servers {
		var own []Finding
		for _, rule := range []func(Plan, Server) *Finding{connections, userConnections, statements, serverFiles, tables} {
			if f := rule(p, s); f != nil {
				own = append(own, *f)
			}
		}
		if c.Ports > 0 && s.TCP && s.Threads > c.Ports {
			own = append(own, Finding{
				Rule: "local ports", Fatal: true,
				Text: fmt.Sprintf("%d connections to one address need as many local ports, and there are %d: net.ipv4.ip_local_port_range is %s", s.Threads, c.Ports, c.PortRange),
				Fix:  "use the Unix socket, several addresses in --mysql-host, fewer --threads, or sysctl -w net.ipv4.ip_local_port_range='1024 65535'",
			})
		}
		for i := range own {
			if s.Name != "" {
				own[i].Text += " (" + s.Name + ")"
			}
		}
		all = append(all, own...)
	}
	if need := uint64(p.Threads + c.OwnFiles); c.FileLimit > 0 && need > c.FileLimit {
		all = append(all, Finding{
			Rule: "ulimit -n", Fatal: true,
			Text: fmt.Sprintf("%s, and %s more, but this process may open %d: ulimit -n, raised as far as it may be", needs(p.Threads), textlog.Count(int64(c.OwnFiles), "file"), c.FileLimit),
			Fix:  fmt.Sprintf("ulimit -n %d in the shell that starts deltabench (as root: ulimit -Hn as well), or --threads=%d at most", need, atMost(int64(c.FileLimit)-int64(c.OwnFiles))),
		})
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		switch {
		case a.Fatal == b.Fatal:
			return 0
		case a.Fatal:
			return -1
		}
		return 1
	})
	return all
}

// atMost is a number for advice, at least 1.
func atMost(n int64) int64 { return max(1, n) }

// spare is how many connections more than needed advice leaves for others.
const spare = 10

// Free returns how many connections a server has free for any account; known is false when it does not tell.
func (s Server) Free() (n int64, known bool) {
	limit, ok1 := s.Facts[maxConns]
	used, ok2 := s.Facts[connected]
	return limit - used, ok1 && ok2
}

// needs is what threads need of connections.
func needs(threads int) string {
	if threads == 1 {
		return "1 thread needs a connection"
	}
	return fmt.Sprintf("%d threads need as many connections", threads)
}

// connections: error 1040. Servers keep one connection more than max_connections for administrators.
func connections(_ Plan, s Server) *Finding {
	free, known := s.Free()
	need := int64(s.Threads)
	if !known || need <= free {
		return nil
	}
	admin, asked := s.Facts[privileged]
	f := &Finding{
		Rule: maxConns, Fatal: need > free+1 || asked && admin == 0,
		Text: fmt.Sprintf("%s, and %d are free: max_connections = %d, %d in use",
			needs(s.Threads), max(0, free), s.Facts[maxConns], s.Facts[connected]),
		Fix: fmt.Sprintf("--threads=%d at most, or SET GLOBAL max_connections = %d (and in the server's option file)", atMost(free), s.Facts[connected]+need+spare),
	}
	if !f.Fatal {
		f.Text += "; the last thread would take the one that is kept for administrators"
	}
	return f
}

// userConnections: errors 1203 and 1226. The limit for all accounts does not hold for administrators, an account's own does.
func userConnections(_ Plan, s Server) *Finding {
	limit, known := s.Facts[ownLimit]
	if !known || limit <= 0 {
		return nil
	}
	free := limit - s.Facts[ownInUse]
	if int64(s.Threads) <= free {
		return nil
	}
	global, known := s.Facts[userLimit]
	admin, asked := s.Facts[privileged]
	f := &Finding{
		Rule: userLimit, Fatal: known && global != limit || asked && admin == 0,
		Text: fmt.Sprintf("%s, and the account may have %d: max_user_connections", needs(s.Threads), limit),
		Fix:  fmt.Sprintf("--threads=%d at most, or ALTER USER ... WITH MAX_USER_CONNECTIONS %d, or SET GLOBAL max_user_connections", atMost(free), s.Threads+spare),
	}
	if n := s.Facts[ownInUse]; n > 0 {
		f.Text += fmt.Sprintf(", %d in use", n)
	}
	if asked && admin == 1 && !f.Fatal {
		return nil
	}
	return f
}

// statements: error 1461.
func statements(p Plan, s Server) *Finding {
	limit, ok1 := s.Facts[maxStmts]
	used, ok2 := s.Facts[preparedN]
	need := p.prepared(s.Threads)
	if !ok1 || !ok2 || need == 0 || need <= limit-used {
		return nil
	}
	each := textlog.Count(int64(p.Other), "statement")
	switch {
	case p.PerTable > 0 && p.Other > 0:
		each = fmt.Sprintf("(%s x %s + %d)", textlog.Count(int64(p.Tables), "table"), textlog.Count(int64(p.PerTable), "statement"), p.Other)
	case p.PerTable > 0:
		each = fmt.Sprintf("%s x %s", textlog.Count(int64(p.Tables), "table"), textlog.Count(int64(p.PerTable), "statement"))
	}
	return &Finding{
		Rule: maxStmts, Fatal: need-int64(s.Threads*p.Optional) > limit-used,
		Text: fmt.Sprintf("%s x %s = %d prepared statements, and %d are free: max_prepared_stmt_count = %d, %d in use",
			textlog.Count(int64(s.Threads), "thread"), each, need, max(0, limit-used), limit, used),
		Fix: fmt.Sprintf("SET GLOBAL max_prepared_stmt_count = %d (and in the server's option file), --db-ps-mode=disable, or --threads=%d at most",
			used+need, atMost((limit-used)/p.prepared(1))),
	}
}

// serverFiles: connections that the server cannot accept, errors 23 and 24 at tables. Connections are files too.
func serverFiles(p Plan, s Server) *Finding {
	limit, ok1 := s.Facts[filesLimit]
	used, ok2 := s.Facts[connected]
	if !ok1 || !ok2 || limit <= 0 {
		return nil
	}
	open := s.Facts[openFiles] + s.Facts[innodbOpen]
	sockets := int64(s.Threads) + used
	sum := sockets + open + int64(p.Tables)
	if sum <= limit {
		return nil
	}
	return &Finding{
		Rule: filesLimit, Fatal: sockets > limit,
		Text: fmt.Sprintf("the server needs %d files at least (%d connections of this run + %d others + %d files that are open + %d tables), and may open %d: open_files_limit",
			sum, s.Threads, used, open, p.Tables, limit),
		Fix: fmt.Sprintf("start the server with open_files_limit = %d (under systemd LimitNOFILE=%d), or use fewer --threads", 2*sum, 2*sum),
	}
}

// tables: no error, but the server closes and opens tables while it is measured.
func tables(p Plan, s Server) *Finding {
	size, known := s.Facts[tableCache]
	if !known || p.Tables == 0 {
		return nil
	}
	parts := max(1, s.Facts[instances])
	need := int64(s.Threads) * int64(p.Tables)
	each := (int64(s.Threads) + parts - 1) / parts * int64(p.Tables)
	if need <= size && each <= size/parts {
		return nil
	}
	text := fmt.Sprintf("up to %s x %s = %d open tables, and table_open_cache = %d", textlog.Count(int64(s.Threads), "thread"), textlog.Count(int64(p.Tables), "table"), need, size)
	if parts > 1 {
		text += fmt.Sprintf(" in %d parts of %d", parts, size/parts)
	}
	return &Finding{
		Rule: tableCache,
		Text: text + ": the server may close and open tables all the time, and that is measured too",
		Fix:  fmt.Sprintf("SET GLOBAL table_open_cache = %d, or fewer --tables", max(need, each*parts)),
	}
}

// needed are the facts without which a rule says nothing, the limit first.
var needed = [][]string{{maxConns, connected}, {maxStmts, preparedN}, {tableCache}, {filesLimit, connected}}

// Missing names the limits that were not looked at, since the server did not tell what that takes; empty: none.
func (s Server) Missing() string {
	var names []string
	for _, facts := range needed {
		for _, name := range facts {
			if _, ok := s.Facts[name]; !ok {
				names = append(names, facts[0])
				break
			}
		}
	}
	return strings.Join(names, ", ")
}
