package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
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
	var reasons []string
	rows, err := s.db.QueryContext(ctx, "SELECT USER, COALESCE(HOST, ''), COMMAND FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID()")
	if err != nil {
		return nil, s.wrap("its process list", err)
	}
	clients, replicas := map[string]int{}, 0
	for rows.Next() {
		var user, host, command string
		if err := rows.Scan(&user, &host, &command); err != nil {
			_ = rows.Close()
			return nil, s.wrap("its process list", err)
		}
		switch {
		case strings.HasPrefix(command, "Binlog Dump"):
			replicas++
		case user == "system user" || user == "event_scheduler" || command == "Daemon" || user == "unauthenticated user":
		default:
			clients[user]++
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, s.wrap("its process list", err)
	}
	n, names := 0, []string{}
	for user, count := range clients {
		n += count
		names = append(names, user)
	}
	slices.Sort(names)
	if n > 0 {
		reasons = append(reasons, fmt.Sprintf("%s connected (%s)", plural(n, "other client is", "other clients are"), strings.Join(names, ", ")))
	}
	if replicas > 0 {
		reasons = append(reasons, plural(replicas, "replica reads", "replicas read")+" its binary log")
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

// plural is a number with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Errors of SET GLOBAL that say that a variable cannot be set by anybody, at present or in this way.
var cannotBeSet = []uint16{1238, 1229, 1228, 1193, 1231, 1232, 1290, 1568, 1911}

func readOnly(err error) bool {
	var m *mysql.MySQLError
	return errors.As(err, &m) && slices.Contains(cannotBeSet, m.Number)
}
