package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Run is a recorded run without its series and histograms: what lists and comparisons need.
type Run struct {
	ID         int64
	UUID       string // the same in all stores that the run was copied to
	Hash       string // of the document: the same for a report of this run, and for copies that got another uuid
	RecordedAt time.Time
	StartedAt  time.Time
	Tags       map[string]string // never nil
	Note       string
	Study      *Place // nil: of no study

	ToolVersion string
	CalledAs    string // deltabench, sysbench
	Workload    string // name of the test
	SQL         bool   // it uses a server
	Threads     int
	Tables      int64   // 0: the test has no such option
	TableSize   int64   // rows of each table; 0: the test has no such option
	Layout      string  // options that decide how rows lie in the server, as name=value with spaces between; empty without tables
	Transport   string  // "tcp, no TLS, no compression, prepared statements"; empty without a server
	Server      string  // its version
	Address     string  // of the server
	OptionsHash string  // equal when all options are that change what is measured (not the seed)
	Rate        float64 // arrivals per second that were asked for; 0: closed loop

	EndReason      string // timeLimit, eventLimit, test, interrupt, error
	EndError       string // first fatal error, empty without
	ExitCode       int
	ElapsedSeconds float64 // measured time, warm-up excluded
	Events         int64
	Queries        int64
	Errors         int64
	Reconnects     int64
	Restarts       int64
	TPS            float64 // events per second
	QPS            float64 // queries per second

	// Latency of events in ns; 0 when no event ended.
	MeanNs                      float64
	P50Ns, P95Ns, P99Ns, P999Ns int64
	MinNs, MaxNs                int64

	ClientCPUSeconds float64
	ClientLimit      string // why the client may have limited what was measured; empty when it did not
	Warnings         int    // how many there were
}

// Filter chooses runs; the zero value chooses all.
type Filter struct {
	IDs      []int64           // nil: any
	Tags     map[string]string // all of them
	Workload string            // empty: any
	Study    string            // empty: any, or none
	Limit    int               // the latest so many; 0: all
}

// where is the condition with its arguments.
func (f Filter) where() (string, []any) {
	var conds []string
	var args []any
	if f.IDs != nil {
		conds = append(conds, "r.id IN (SELECT value FROM json_each(?))")
		args = append(args, strings.ReplaceAll(fmt.Sprint(f.IDs), " ", ","))
	}
	for _, key := range slices.Sorted(maps.Keys(f.Tags)) {
		conds = append(conds, "EXISTS (SELECT 1 FROM tags t WHERE t.run_id = r.id AND t.key = ? AND t.value = ?)")
		args = append(args, key, f.Tags[key])
	}
	if f.Workload != "" {
		conds = append(conds, "r.workload = ?")
		args = append(args, f.Workload)
	}
	if f.Study != "" {
		conds = append(conds, "r.study_id = (SELECT id FROM studies WHERE name = ?)")
		args = append(args, f.Study)
	}
	if len(conds) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(conds, " AND "), args
}

// choose is a query that selects columns of runs (r), their studies (s) and their places there (p) in the order of their numbers.
func (f Filter) choose(columns string) (string, []any) {
	where, args := f.where()
	query := "SELECT " + columns + " FROM runs r LEFT JOIN studies s ON s.id = r.study_id LEFT JOIN study_runs p ON p.run_id = r.id" + where
	if f.Limit > 0 {
		query += " AND r.id >= "
		if where == "" {
			query = strings.TrimSuffix(query, " AND r.id >= ") + " WHERE r.id >= "
		}
		query += "(SELECT min(id) FROM (SELECT r.id FROM runs r" + where + " ORDER BY r.id DESC LIMIT ?))"
		args = append(slices.Concat(args, args), f.Limit)
	}
	return query + " ORDER BY r.id", args
}

const runColumns = `r.id, r.uuid, r.hash, r.recorded_at, r.started_at, r.note, s.name, s.question, r.scenario, r.round, r.position,
	ifnull(p.target, ''), ifnull(p.workload, ''), ifnull(p.threads, 0), ifnull(p.share, 0),
	r.tool_version, r.called_as, r.workload, r.sql, r.threads, ifnull(r.tables, 0), ifnull(r.table_size, 0), r.layout, r.transport,
	r.server_version, r.server_address, r.options_hash, ifnull(r.rate, 0), r.end_reason, r.end_error, r.exit_code, r.elapsed_seconds,
	r.events, r.queries, r.errors, r.reconnects, r.restarts, r.tps, r.qps, ifnull(r.latency_mean_ns, 0), ifnull(r.latency_p50_ns, 0),
	ifnull(r.latency_p95_ns, 0), ifnull(r.latency_p99_ns, 0), ifnull(r.latency_p999_ns, 0), ifnull(r.latency_min_ns, 0),
	ifnull(r.latency_max_ns, 0), r.client_cpu_seconds, r.client_limit, r.warnings`

// Runs returns the runs that a filter chooses, in the order in which they were recorded. No run is no error.
func (s *Store) Runs(ctx context.Context, f Filter) ([]Run, error) {
	runs, err := s.runs(ctx, f)
	return runs, problem(s.path, err)
}

func (s *Store) runs(ctx context.Context, f Filter) ([]Run, error) {
	query, args := f.choose(runColumns)
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var runs []Run
	for rows.Next() {
		r, err := scanRun(rows)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return runs, s.addTags(ctx, f, runs)
}

// scanRun reads the columns of a run, and further ones.
func scanRun(rows *sql.Rows, more ...any) (Run, error) {
	r := Run{Tags: map[string]string{}}
	var recorded, started string
	var study, question sql.NullString
	var place Place
	err := rows.Scan(append([]any{
		&r.ID, &r.UUID, &r.Hash, &recorded, &started, &r.Note, &study, &question, &place.Scenario, &place.Round, &place.Position,
		&place.Target, &place.Workload, &place.Threads, &place.Share,
		&r.ToolVersion, &r.CalledAs, &r.Workload, &r.SQL, &r.Threads, &r.Tables, &r.TableSize, &r.Layout, &r.Transport,
		&r.Server, &r.Address, &r.OptionsHash, &r.Rate, &r.EndReason, &r.EndError, &r.ExitCode, &r.ElapsedSeconds,
		&r.Events, &r.Queries, &r.Errors, &r.Reconnects, &r.Restarts, &r.TPS, &r.QPS, &r.MeanNs, &r.P50Ns,
		&r.P95Ns, &r.P99Ns, &r.P999Ns, &r.MinNs, &r.MaxNs, &r.ClientCPUSeconds, &r.ClientLimit, &r.Warnings,
	}, more...)...)
	if err != nil {
		return r, err
	}
	if study.Valid {
		place.Study, place.Question = study.String, question.String
		r.Study = &place
	}
	if r.RecordedAt, err = time.Parse(timeLayout, recorded); err == nil {
		r.StartedAt, err = time.Parse(timeLayout, started)
	}
	return r, err
}

// addTags fills in the tags of runs in ascending order of their numbers.
func (s *Store) addTags(ctx context.Context, f Filter, runs []Run) error {
	query, args := f.choose("r.id")
	rows, err := s.db.QueryContext(ctx, "SELECT run_id, key, value FROM tags WHERE run_id IN ("+query+") ORDER BY run_id", args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	i := 0
	for rows.Next() {
		var id int64
		var key, value string
		if err := rows.Scan(&id, &key, &value); err != nil {
			return err
		}
		for i < len(runs) && runs[i].ID < id {
			i++
		}
		if i < len(runs) && runs[i].ID == id {
			runs[i].Tags[key] = value
		}
	}
	return rows.Err()
}
