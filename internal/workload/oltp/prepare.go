package oltp

import (
	"fmt"
	"strconv"

	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/workload"
)

// customCommand is the function that sysbench names in errors of commands that scripts declare.
const customCommand = "sysbench.cmdline.call_command"

func (t *test) Commands() []workload.Command {
	return []workload.Command{
		{Name: "prepare", Parallel: true, Function: customCommand, Do: t.prepare},
		{Name: "prewarm", Parallel: true, Function: customCommand, Do: warmUp("prewarm", "Prewarming")},
		{Name: "warmup", Parallel: true, Function: customCommand, Do: warmUp("warmup", "Preloading")},
		{Name: "cleanup", Function: "cleanup", Do: t.cleanup},
	}
}

// command is one thread of a command with its connection.
type command struct {
	config
	setup  workload.Setup
	thread workload.ThreadContext
	conn   sqldb.Conn
}

// query executes a statement of a command.
func (c *command) query(position, text string) error {
	_, err := c.conn.Query(text, nil)
	return scriptError(position, "", err)
}

// print writes a line as scripts print it: whatever the verbosity.
func (c *command) print(format string, args ...any) {
	c.setup.Log.Direct(fmt.Sprintf(format, args...) + "\n")
}

// eachTable calls f for the tables of this thread: the threads deal them out in turn.
func (c *command) eachTable(f func(table int) error) error {
	for table := c.thread.ID + 1; table <= times(c.tables); table += c.thread.Threads {
		if err := f(table); err != nil {
			return err
		}
	}
	return nil
}

// prepare creates the tables of this thread and fills them.
func (t *test) prepare(s workload.Setup, tc workload.ThreadContext) error {
	c := command{config: newConfig(s.Options), setup: s, thread: tc}
	if t.prepareConfig != nil {
		t.prepareConfig(&c.config)
	}
	var err error
	if c.conn, err = connect(s, tc, "oltp_common.lua:82", "oltp_common.lua:83"); err != nil {
		return err
	}
	defer c.conn.Close()
	return c.eachTable(c.createTable)
}

// emptyWithoutAutoInc makes the tables of oltp_insert empty when it chooses the ids itself: they would collide.
func emptyWithoutAutoInc(c *config) {
	if !c.autoInc {
		c.tableSize = 0
	}
}

func (c *command) createTable(table int) error {
	c.print("Creating table '%s'...", tableName(table))
	text, err := c.createStatement(table)
	if err != nil {
		return err
	}
	if err := c.query("oltp_common.lua:197", text); err != nil {
		return err
	}
	if c.tableSize > 0 {
		c.print("Inserting %d records into '%s'", random.Int64(c.tableSize), tableName(table))
	}
	if err := c.fill(table); err != nil {
		return err
	}
	if !c.createSecondary {
		return nil
	}
	c.print("Creating a secondary index on '%s'...", tableName(table))
	return c.query("oltp_common.lua:238", indexStatement(table))
}

// indexStatement returns the CREATE INDEX statement of a table.
func indexStatement(table int) string {
	return fmt.Sprintf("CREATE INDEX k_%d ON sbtest%d(k)", table, table)
}

// createStatement returns the CREATE TABLE statement. Its layout is part of the promise: people grep logs for it.
func (c *command) createStatement(table int) (string, error) {
	id, engine := "INTEGER NOT NULL", ""
	switch driver := c.setup.Driver.Name(); driver {
	case "mysql":
		engine = "/*! ENGINE = " + c.engine + " */"
		if c.autoInc {
			id = "INTEGER NOT NULL AUTO_INCREMENT"
		}
	case "pgsql":
		if c.autoInc {
			id = "SERIAL"
		}
	default:
		return "", &workload.ScriptError{Text: "Unsupported database driver:" + driver}
	}
	key := "PRIMARY KEY"
	if c.secondary {
		key = "KEY xid"
	}
	return fmt.Sprintf(`CREATE TABLE %s(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL,
  %s (id)
) %s %s`, tableName(table), id, key, engine, c.tableOptions), nil
}

// fill inserts the rows. The draws of a row are c, pad, k, so that the data is the same as sysbench's.
func (c *command) fill(table int) error {
	columns := "(k, c, pad)"
	if !c.autoInc {
		columns = "(id, k, c, pad)"
	}
	bulk := sqldb.NewBulk(c.conn)
	if err := bulk.Init("INSERT INTO " + tableName(table) + columns + " VALUES"); err != nil {
		return bulkError(c.setup, "", bulkInit, err)
	}
	src, dist, size := c.thread.Rand, c.setup.Dist, random.Uint32(c.tableSize)
	var strings, row []byte
	for id := 1; id <= times(c.tableSize); id++ {
		strings = append(strings[:0], ", '"...)
		strings = random.AppendTemplate(strings, src, cTemplate)
		strings = append(strings, "', '"...)
		strings = random.AppendTemplate(strings, src, padTemplate)
		strings = append(strings, "')"...)
		row = append(row[:0], '(')
		if !c.autoInc {
			row = strconv.AppendInt(row, int64(id), 10)
			row = append(row, ", "...)
		}
		row = strconv.AppendUint(row, uint64(dist.Default(src, 1, size)), 10)
		row = append(row, strings...)
		if err := bulk.Next(row); err != nil {
			return bulkError(c.setup, "oltp_common.lua:230", bulkNext, err)
		}
	}
	return bulkError(c.setup, "oltp_common.lua:233", bulkDone, bulk.Done())
}

// warmUp returns the command that reads tables into the server's caches, under its old or its new name.
func warmUp(name, verb string) func(workload.Setup, workload.ThreadContext) error {
	return func(s workload.Setup, tc workload.ThreadContext) error {
		c := command{config: newConfig(s.Options), setup: s, thread: tc}
		var err error
		if c.conn, err = connect(s, tc, "oltp_common.lua:97", "oltp_common.lua:98"); err != nil {
			return err
		}
		defer c.conn.Close()
		if s.Driver.Name() != "mysql" {
			return &workload.ScriptError{Text: name + " is currently MySQL only"}
		}
		for _, variable := range []string{"tmp_table_size", "max_heap_table_size"} {
			if err := c.query("", "SET "+variable+"=2*1024*1024*1024"); err != nil {
				return err
			}
		}
		return c.eachTable(func(table int) error { return c.warmTable(verb, table) })
	}
}

func (c *command) warmTable(verb string, table int) error {
	t, limit := tableName(table), random.Int64(c.tableSize)
	c.print("%s table %s", verb, t)
	if err := c.query("oltp_common.lua:110", "ANALYZE TABLE "+t); err != nil {
		return err
	}
	if err := c.query("oltp_common.lua:111", fmt.Sprintf("SELECT AVG(id) FROM (SELECT * FROM %s FORCE KEY (PRIMARY) LIMIT %d) t", t, limit)); err != nil {
		return err
	}
	return c.query("oltp_common.lua:116", fmt.Sprintf("SELECT COUNT(*) FROM (SELECT * FROM %s WHERE k LIKE '%%0%%' LIMIT %d) t", t, limit))
}

// cleanup drops the tables.
func (t *test) cleanup(s workload.Setup, tc workload.ThreadContext) error {
	c := command{config: newConfig(s.Options), setup: s, thread: tc}
	if t.cleanupCheck != nil {
		if err := t.cleanupCheck(c.config); err != nil {
			return err
		}
	}
	var err error
	if c.conn, err = connect(s, tc, "oltp_common.lua:387", "oltp_common.lua:388"); err != nil {
		return err
	}
	defer c.conn.Close()
	return c.dropTables(times(c.tables), "oltp_common.lua:392")
}

func (c *command) dropTables(n int, position string) error {
	for table := 1; table <= n; table++ {
		c.print("Dropping table '%s'...", tableName(table))
		if err := c.query(position, "DROP TABLE IF EXISTS "+tableName(table)); err != nil {
			return err
		}
	}
	return nil
}

// oneTable refuses more tables than select_random_* use.
func oneTable(position string) func(config) error {
	return func(c config) error {
		if c.tables > 1 {
			return &workload.ScriptError{Position: position, Text: "this benchmark does not support --tables > 1"}
		}
		return nil
	}
}
