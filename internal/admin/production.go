package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// What traffic a server may have had that nobody works with.
const (
	busyUptime    = time.Hour
	busyQuestions = 10.0 // a second, since its start
)

// systemSchemas are every server's own.
var systemSchemas = []string{"information_schema", "mysql", "performance_schema", "sys", "test"}

// Production returns reasons why a server looks as if somebody worked with it, a sentence each: other clients, replicas, tables in
// other schemas than ownSchema, traffic since its start. None is no proof of the opposite: accounts without rights see little.
func (s *Server) Production(ctx context.Context, ownSchema string) ([]string, error) {
	clients, replicas, isReplica, err := s.connected(ctx)
	for wait := 0; err == nil && len(clients) > 0 && wait < lingering; wait++ {
		// A connection that was just closed, ours for instance, is on the list for some time: only those that stay count.
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lingerStep):
		}
		var now map[string]string
		if now, replicas, isReplica, err = s.connected(ctx); err == nil {
			maps.DeleteFunc(clients, func(id, _ string) bool { _, stays := now[id]; return !stays })
		}
	}
	if err != nil {
		return nil, s.wrap("its process list", err)
	}
	var reasons []string
	if n := len(clients); n > 0 {
		names := slices.Compact(slices.Sorted(maps.Values(clients)))
		reasons = append(reasons, fmt.Sprintf("%s connected (%s)", plural(n, "other client is", "other clients are"), strings.Join(names, ", ")))
	}
	if replicas > 0 {
		reasons = append(reasons, plural(replicas, "replica reads", "replicas read")+" its binary log")
	}
	if isReplica {
		reasons = append(reasons, "it is a replica of another server")
	}
	schemas, err := s.rows2(ctx, "SELECT TABLE_SCHEMA, COUNT(*) FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE' GROUP BY TABLE_SCHEMA")
	if err != nil {
		return nil, s.wrap("its schemas", err)
	}
	var others []string
	for name := range schemas {
		if !slices.Contains(systemSchemas, strings.ToLower(name)) && !strings.EqualFold(name, ownSchema) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	if len(others) > 0 {
		shown := others[:min(len(others), 3)]
		reasons = append(reasons, fmt.Sprintf("it has tables in %s besides %s (%s)", plural(len(others), "schema", "schemas"), ownSchema, strings.Join(shown, ", ")))
	}
	status, err := s.Status(ctx)
	if err != nil {
		return nil, err
	}
	uptime := time.Duration(status["uptime"]) * time.Second
	if rate := status["questions"] / max(status["uptime"], 1); uptime > busyUptime && rate > busyQuestions {
		reasons = append(reasons, fmt.Sprintf("it has answered %.0f statements a second since its start %.0f hours ago", rate, uptime.Hours()))
	}
	return reasons, nil
}

// How long a connection that was closed may stay on the process list.
const (
	lingering  = 4
	lingerStep = time.Second / 4
)

// connected returns the users of other connections by the numbers of these, how many replicas read the binary log, and whether the
// server replicates from another one.
func (s *Server) connected(ctx context.Context) (clients map[string]string, replicas int, isReplica bool, err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT ID, USER, COMMAND FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID()")
	if err != nil {
		return nil, 0, false, err
	}
	defer rows.Close()
	clients = map[string]string{}
	for rows.Next() {
		var id, user, command string
		if err := rows.Scan(&id, &user, &command); err != nil {
			return nil, 0, false, err
		}
		switch {
		case strings.HasPrefix(command, "Binlog Dump"):
			replicas++
		case user == "system user": // threads of replication; of others of the server, in MariaDB
			isReplica = isReplica || command != "Daemon"
		case user == "event_scheduler" || command == "Daemon" || user == "unauthenticated user":
		default:
			clients[id] = user
		}
	}
	return clients, replicas, isReplica, rows.Err()
}

// plural is a number with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
