package target

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/admin"
	"deltabench/internal/study"
)

// Modes of replication.
const (
	Async    = "async"
	SemiSync = "semisync"
)

// replicaLimit is how long a replica may take until it replicates, and how long it may stand still while it catches up.
const replicaLimit = 2 * time.Minute

// replica is a second server that replicates from the first.
type replica struct {
	*ManagedServer
	mode       string
	configured bool // it knows its source: data and settings stayed since then
	port       int  // of the source that it knows
}

// AddReplica makes a second server from the image, which replicates from this one from its next start on. Stop, Restore and Close
// are of both.
func (m *ManagedServer) AddReplica(ctx context.Context, mode string) error {
	other, err := m.Copy(ctx, filepath.Join(m.config.Dir, "replica"))
	if err != nil {
		return fmt.Errorf("replica: %w", err)
	}
	m.second = &replica{ManagedServer: other, mode: mode}
	return nil
}

// old reports whether a server has the words and options of before MySQL 8.4: MariaDB has them still.
func (b Binary) old() bool {
	major, rest, _ := strings.Cut(b.Version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	x, _ := strconv.Atoi(major)
	y, _ := strconv.Atoi(minor)
	return b.Flavour == "mariadb" || x < 8 || x == 8 && y < 4
}

// replicationOptions are those that replication needs, before the user's.
func (m *ManagedServer) replicationOptions(asReplica bool) []study.Option {
	id, role := "1", "source"
	switch {
	case asReplica && m.config.Binary.old():
		id, role = "2", "slave"
	case asReplica:
		id, role = "2", "replica"
	case m.config.Binary.old():
		role = "master"
	}
	options := []study.Option{{Name: "server_id", Value: id}, {Name: "log_bin", Value: "binlog"}}
	if m.second.mode != SemiSync {
		return options
	}
	switch {
	case m.config.Binary.Flavour == "mariadb":
		options = append(options, study.Option{Name: "rpl_semi_sync_" + role + "_enabled", Value: "ON"})
	default:
		options = append(options, study.Option{Name: "plugin_load_add", Value: "semisync_" + role + ".so"}, study.Option{Name: "loose_rpl_semi_sync_" + role + "_enabled", Value: "ON"})
	}
	return options
}

// replicate starts the replica and waits until it has all that the server has. The server has been started and nobody has written since.
func (m *ManagedServer) replicate(ctx context.Context, options []study.Option) error {
	r := m.second
	own := append(m.replicationOptions(true), study.Option{Name: "read_only", Value: "ON"})
	for _, o := range options {
		if o.Name != "server_id" && !strings.HasPrefix(o.Name, "rpl_semi_sync") && o.Name != "plugin_load_add" {
			own = append(own, o)
		}
	}
	if !r.configured {
		if err := r.Restore(ctx); err != nil {
			return fmt.Errorf("replica: %w", err)
		}
	}
	if err := r.Start(ctx, own); err != nil {
		return fmt.Errorf("replica: %w", err)
	}
	source, err := admin.Open(ctx, m.Address())
	if err != nil {
		return err
	}
	defer source.Close()
	copied, err := admin.Open(ctx, r.Address())
	if err != nil {
		return err
	}
	defer copied.Close()
	old := m.config.Binary.old()
	status := "SHOW BINARY LOG STATUS"
	if old {
		status = "SHOW MASTER STATUS"
	}
	at, err := source.Row(ctx, status)
	if err != nil {
		return err
	}
	start, stop, show := "START REPLICA", "STOP REPLICA", "SHOW REPLICA STATUS"
	if old {
		start, stop, show = "START SLAVE", "STOP SLAVE", "SHOW SLAVE STATUS"
	}
	from := [2]string{at["file"], at["position"]}
	if r.configured && r.port != m.port { // its old port was taken: the replica goes on at the new one where it was
		s, err := copied.Row(ctx, show)
		if err == nil {
			err = copied.Exec(ctx, stop)
		}
		if err != nil {
			return err
		}
		from = [2]string{first(s, "relay_master_log_file", "relay_source_log_file"), first(s, "exec_master_log_pos", "exec_source_log_pos")}
		r.configured = false
	}
	if !r.configured {
		change := "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT=%d, SOURCE_USER='%s', SOURCE_PASSWORD='%s', SOURCE_LOG_FILE='%s', SOURCE_LOG_POS=%s, GET_SOURCE_PUBLIC_KEY=1"
		if old {
			change = "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='%s', MASTER_PASSWORD='%s', MASTER_LOG_FILE='%s', MASTER_LOG_POS=%s"
			if m.config.Binary.Flavour == "mysql" && strings.HasPrefix(m.config.Binary.Version, "8.") {
				change += ", GET_MASTER_PUBLIC_KEY=1" // logins of MySQL 8 without TLS need it
			}
		}
		err = copied.Exec(ctx, fmt.Sprintf(change, m.port, m.account.User, m.account.Password, from[0], from[1]))
		if err != nil {
			return errors.New(strings.ReplaceAll(err.Error(), m.account.Password, "***"))
		}
		r.configured, r.port = true, m.port
	}
	if err := copied.Exec(ctx, start); err != nil && !strings.Contains(err.Error(), "1254") { // it runs already
		return err
	}
	arrived := ""
	for end := time.Now().Add(replicaLimit); ; time.Sleep(pollEvery) {
		s, err := copied.Row(ctx, show)
		if err != nil {
			return err
		}
		io, sql := first(s, "slave_io_running", "replica_io_running"), first(s, "slave_sql_running", "replica_sql_running")
		file, position := first(s, "relay_master_log_file", "relay_source_log_file"), first(s, "exec_master_log_pos", "exec_source_log_pos")
		if io == "Yes" && sql == "Yes" && reached(file, position, at["file"], at["position"]) && m.acknowledged(ctx, source) {
			return nil
		}
		if file+" "+position != arrived {
			arrived, end = file+" "+position, time.Now().Add(replicaLimit) // it catches up
		}
		why := first(s, "last_io_error", "last_sql_error")
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case time.Now().After(end), sql == "No" && s["last_sql_error"] != "":
			return fmt.Errorf("replica: it does not replicate: %s", orError(why, fmt.Errorf("threads run: %s, %s; it is at %s of %s %s", io, sql, arrived, at["file"], at["position"])))
		}
	}
}

// reached reports whether a place in the binary logs is another or behind it. Names of logs end with numbers of equal length.
func reached(file, position, wantFile, wantPosition string) bool {
	at, err := strconv.ParseInt(position, 10, 64)
	want, wantErr := strconv.ParseInt(wantPosition, 10, 64)
	return err == nil && wantErr == nil && (file > wantFile || file == wantFile && at >= want)
}

// first is the first value that is there.
func first(row map[string]string, names ...string) string {
	for _, name := range names {
		if row[name] != "" {
			return row[name]
		}
	}
	return ""
}

// acknowledged reports whether the server waits for a replica, where it should.
func (m *ManagedServer) acknowledged(ctx context.Context, source *admin.Server) bool {
	if m.second.mode != SemiSync {
		return true
	}
	s, err := source.Status(ctx)
	return err == nil && s["rpl_semi_sync_master_clients"]+s["rpl_semi_sync_source_clients"] >= 1
}
