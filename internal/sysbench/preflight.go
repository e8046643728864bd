package sysbench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"deltabench/internal/preflight"
	"deltabench/internal/sqldb"
	"deltabench/internal/sqldb/mysql"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

const (
	// preflightTime bounds the check: what is wrong with a server that does not answer, the run will tell.
	preflightTime = 5 * time.Second
	// maxAsked is how many servers are asked at most.
	maxAsked = 16
	// forgetting is how long servers take to count a closed connection no more, generously.
	forgetting = 100 * time.Millisecond
)

// checkLimits is the pre-flight check of a run. It returns false when the run must not start, having said why.
func checkLimits(ctx context.Context, req *Request, run workload.Run) bool {
	g, d := req.General, req.Database
	connects := req.Test.SQL()
	if c := scriptOf(req.Test); c != nil {
		connects = c.MayConnect()
	}
	if !g.Preflight || !connects || d.DryRun {
		return true
	}
	plan := preflight.Plan{Threads: g.Threads}
	if h, ok := run.(workload.Holder); ok {
		holds := h.Holds()
		plan.Tables = holds.Tables
		if d.PSMode != "disable" {
			plan.PerTable, plan.Other, plan.Optional = holds.PerTable, holds.Statements, holds.Optional
		}
	}
	client := preflight.Client{OwnFiles: openFiles}
	if n, known := fileLimit(); known {
		client.FileLimit = n
	}
	client.Ports, client.PortRange = preflight.LocalPorts()
	servers, refused := askServers(ctx, req)
	if refused != nil && g.PreflightOnly { // a run would say so itself
		why := refused
		if e := (*sqldb.Error)(nil); errors.As(refused, &e) {
			why = e // what the server said
		}
		req.Log.Fatalf("Pre-flight: no connection: %s", why)
		if hint := adviceFor(req, refused); hint != "" {
			req.Log.Noticef("Hint: %s", hint)
		}
		return false
	}
	tight := false
	for _, s := range servers {
		if missing := s.Missing(); missing != "" {
			req.Log.Noticef("Pre-flight: not checked, since the server does not tell: %s%s", missing, inBrackets(s.Name))
		}
		free, known := s.Free()
		tight = tight || known && int64(s.Threads) == free
	}
	findings := preflight.Check(plan, servers, client)
	ok := printFindings(req.Log, findings)
	for _, f := range findings {
		req.doubts = append(req.doubts, "pre-flight: "+f.Text)
	}
	if ok && tight {
		_ = sqldb.Blocking{Ctx: ctx}.Sleep(forgetting) // the check's own connection would be one too many; the run sees an interrupt
	}
	return ok
}

func inBrackets(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

// printFindings prints findings and returns whether the run may start.
func printFindings(log *textlog.Log, findings []preflight.Finding) bool {
	fatal := 0
	for _, f := range findings {
		if f.Fatal {
			fatal++
			log.Fatalf("Pre-flight: %s", f.Text)
		} else {
			log.Warnf("Pre-flight: %s", f.Text)
		}
		log.Noticef("Hint: %s", f.Fix)
	}
	if fatal > 0 {
		log.Fatalf("The run would fail; nothing was started. --no-preflight starts it nevertheless")
		return false
	}
	return true
}

// askServers asks each server of the run for its limits, over a connection each; refused is why the first of those did not answer that
// cannot be reached. Servers that cannot be reached have no
// facts: the run tells why.
func askServers(ctx context.Context, req *Request) (servers []preflight.Server, refused error) {
	names := targetNames(req.Database)
	if len(names) == 0 {
		return nil, nil
	}
	cfg, err := mysqlConfig(req)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, min(preflightTime, req.General.InitTimeout))
	defer cancel()
	cfg.Log, cfg.Debug, cfg.IgnoreErrors, cfg.IgnoreAllErrors = nil, false, nil, false
	driver, err := mysql.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	for i := range min(len(names), maxAsked) {
		// Connections are dealt in turn, those of the run as well.
		s := preflight.Server{Threads: (req.General.Threads + len(names) - 1 - i) / len(names)}
		if len(names) > 1 {
			s.Name = names[i]
		}
		conn, err := driver.Connect(sqldb.Blocking{Ctx: ctx}, nil)
		if err != nil {
			if refused == nil {
				refused = err
			}
			continue
		}
		s.TCP = conn.Transport().Network == "tcp"
		s.Facts, err = preflight.Read(conn)
		_ = conn.Close()
		if err != nil {
			continue
		}
		servers = append(servers, s)
	}
	return servers, refused
}

// targetNames names the servers in the order in which connections are dealt to them.
func targetNames(d *Database) []string {
	if len(d.Sockets) > 0 {
		return d.Sockets
	}
	var names []string
	for _, h := range d.Hosts {
		for _, p := range d.Ports {
			names = append(names, net.JoinHostPort(h, strconv.Itoa(p)))
		}
	}
	return names
}

// notReady says where threads are that did not become ready in time.
func notReady(waiting, threads int, steps [sqldb.StepCount]int) string {
	text := fmt.Sprintf("Not ready: %d of %s", waiting, plural(threads, "thread"))
	sep := ": "
	for step := sqldb.StepCount - 1; ; step-- {
		if n := steps[step]; n > 0 {
			text += fmt.Sprintf("%s%d at %s", sep, n, step)
			sep = ", "
		}
		if step == 0 {
			return text
		}
	}
}
