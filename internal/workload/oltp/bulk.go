package oltp

import (
	"errors"
	"fmt"
	"strconv"

	"deltabench/internal/option"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// bulkTest is bulk_insert: each event adds a row to a bulk insert into the thread's own table. So its
// transactions are rows, and its writes are statements of up to 512 KiB.
type bulkTest struct{}

func (bulkTest) Name() string { return "bulk_insert" }

// SQL reports true: the test needs a database.
func (bulkTest) SQL() bool { return true }

// Options returns none; 1.0.20 then accepts any.
func (bulkTest) Options() []option.Spec { return nil }

func (bulkTest) Commands() []workload.Command {
	return []workload.Command{
		{Name: "prepare", Function: "prepare", Do: bulkPrepare},
		{Name: "cleanup", Function: "cleanup", Do: bulkCleanup},
	}
}

func bulkPrepare(s workload.Setup, tc workload.ThreadContext) error {
	c := command{setup: s, thread: tc}
	var err error
	if c.conn, err = connect(s, tc, "bulk_insert.lua:18", "bulk_insert.lua:19"); err != nil {
		return err
	}
	defer c.conn.Close()
	for table := 1; table <= s.Threads; table++ {
		c.print("Creating table '%s'...", tableName(table))
		if err := c.query("bulk_insert.lua:23", fmt.Sprintf(`        CREATE TABLE IF NOT EXISTS sbtest%d (
          id INTEGER NOT NULL,
          k INTEGER DEFAULT '0' NOT NULL,
          PRIMARY KEY (id))`, table)); err != nil {
			return err
		}
	}
	return nil
}

func bulkCleanup(s workload.Setup, tc workload.ThreadContext) error {
	c := command{setup: s, thread: tc}
	var err error
	if c.conn, err = connect(s, tc, "bulk_insert.lua:49", "bulk_insert.lua:50"); err != nil {
		return err
	}
	defer c.conn.Close()
	return c.dropTables(s.Threads, "bulk_insert.lua:54")
}

func (bulkTest) NewRun(s workload.Setup) (workload.Run, error) { return bulkRun{s}, nil }

// Statements says that a statement carries thousands of rows, each of which is an event.
func (bulkTest) Statements(string, workload.Values) []workload.Statement {
	const row = len(",(10000,10000)")
	return []workload.Statement{{
		Key: kindNames[kindBulk], SQL: "INSERT INTO sbtest1 VALUES(?,?),(?,?),…",
		PerEvent: float64(row) / float64(sqldb.BulkBuffer),
	}}
}

type bulkRun struct{ setup workload.Setup }

// Mode writes nothing: scripts have no mode block.
func (bulkRun) Mode(*textlog.Log) {}

// Kinds names the kinds of statements.
func (bulkRun) Kinds() []string { return Kinds() }

func (r bulkRun) Thread(t workload.ThreadContext) (workload.Worker, error) {
	conn, err := connect(r.setup, t, "bulk_insert.lua:11", "bulk_insert.lua:12")
	if err != nil {
		return nil, err
	}
	conn.SetKind(kindBulk)
	b := sqldb.NewBulk(conn)
	if err := b.Init("INSERT INTO " + tableName(t.ID+1) + " VALUES"); err != nil {
		_ = conn.Close()
		return nil, bulkError(r.setup, "", bulkInit, err)
	}
	return &bulkWorker{run: r, conn: conn, bulk: b}, nil
}

type bulkWorker struct {
	run  bulkRun
	conn sqldb.Conn
	bulk *sqldb.Bulk
	n    int64
	row  []byte
}

// Event adds the row (n,n).
func (w *bulkWorker) Event() error {
	w.n++
	w.row = append(w.row[:0], '(')
	w.row = strconv.AppendInt(w.row, w.n, 10)
	w.row = append(w.row, ',')
	w.row = strconv.AppendInt(w.row, w.n, 10)
	w.row = append(w.row, ')')
	return bulkError(w.run.setup, "bulk_insert.lua:38", bulkNext, w.bulk.Next(w.row))
}

// Done sends the rest.
func (w *bulkWorker) Done() error {
	err := bulkError(w.run.setup, "bulk_insert.lua:42", bulkDone, w.bulk.Done())
	_ = w.conn.Close()
	return err
}

// Messages of bulk inserts that fail.
const (
	bulkInit = "db_bulk_insert_init() failed"
	bulkNext = "db_bulk_insert_next() failed"
	bulkDone = "db_bulk_insert_done() failed"
)

// bulkError is scriptError for bulk inserts, whose own errors are logged here.
func bulkError(s workload.Setup, position, text string, err error) error {
	if errors.Is(err, sqldb.ErrBulkTooLong) {
		s.Log.Fatalf("%v", err)
	}
	return scriptError(position, text, err)
}
