package mysql

import (
	"bytes"
	"context"
	"os"
	"testing"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
)

func TestMain(m *testing.M) { os.Exit(mariadbtest.Main(m)) }

// client is a driver with what tests look at.
type client struct {
	sqldb.Driver
	log   *bytes.Buffer
	rec   *measure.Recorder
	stats *measure.Thread
	env   sqldb.Blocking
}

// newClient makes a driver for the shared server; edit changes the configuration.
func newClient(t *testing.T, edit func(*Config)) *client {
	t.Helper()
	s := mariadbtest.Shared(t)
	cfg := Config{
		Hosts: []string{s.Host}, Ports: []int{s.Port},
		User: "sbtest", Password: "pw", DB: database(t),
		IgnoreErrors: DefaultIgnoreErrors,
	}
	if edit != nil {
		edit(&cfg)
	}
	return newClientFor(t, cfg)
}

func newClientFor(t *testing.T, cfg Config) *client {
	t.Helper()
	c := &client{log: &bytes.Buffer{}, env: sqldb.Blocking{Ctx: t.Context()}}
	cfg.Log = textlog.New(c.log, textlog.Debug)
	d, err := New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Driver = d
	c.rec = measure.NewRecorder(measure.Options{})
	c.stats = c.rec.Thread()
	return c
}

// database is the test's database.
func database(t *testing.T) string {
	t.Helper()
	return mariadbtest.Shared(t).NewDatabase(t)
}

// connect opens a connection that is closed at the end of the test.
func (c *client) connect(t *testing.T) *conn {
	t.Helper()
	sc, err := c.Connect(c.env, c.stats)
	if err != nil {
		t.Fatalf("connect: %v\n%s", err, c.log)
	}
	t.Cleanup(func() { _ = sc.Close() })
	return sc.(*conn)
}

// counters are the totals so far.
func (c *client) counters() measure.Counters {
	c.stats.Flush()
	set := &measure.Set{Recorders: []*measure.Recorder{c.rec}}
	return set.Cumulative().Counters
}

// query executes text and returns its rows, NULL as "NULL".
func query(t *testing.T, c sqldb.Conn, text string) [][]string {
	t.Helper()
	var all [][]string
	_, err := c.Query(text, func(cells [][]byte) error {
		var row []string
		for _, cell := range cells {
			if cell == nil {
				row = append(row, "NULL")
			} else {
				row = append(row, string(cell))
			}
		}
		all = append(all, row)
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return all
}
