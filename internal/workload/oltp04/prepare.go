package oltp04

import (
	"fmt"
	"strconv"

	"deltabench/internal/sqldb"
	"deltabench/internal/workload"
)

// rowsPerInsert is how many rows an INSERT of prepare has.
const rowsPerInsert = 10000

// command is prepare or cleanup with its connection.
type command struct {
	config
	setup workload.Setup
	conn  sqldb.Conn
}

func newCommand(s workload.Setup, t workload.ThreadContext) (*command, error) {
	cfg, err := newConfig(s.Options)
	if err != nil {
		return nil, err
	}
	conn, err := connect(s, t)
	if err != nil {
		return nil, err
	}
	return &command{config: cfg, setup: s, conn: conn}, nil
}

func (c *command) print(format string, args ...any) {
	c.setup.Log.Direct(fmt.Sprintf(format, args...) + "\n")
}

func (c *command) query(text string) error {
	_, err := c.conn.Query(text, nil)
	return databaseError(err)
}

// prepare creates the table with its index and fills it.
func prepare(s workload.Setup, t workload.ThreadContext) error {
	c, err := newCommand(s, t)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	name := s.Options.String("oltp_table_name")
	c.print("Creating table '%s'...", name)
	if err := c.query(c.createStatement()); err != nil {
		return err
	}
	if err := c.query("CREATE INDEX k on " + c.table + "(k)"); err != nil {
		return err
	}
	if c.size == 0 {
		return nil
	}
	c.print("Creating %d records in table '%s'...", c.size, name)
	return c.fill()
}

func (c *command) createStatement() string {
	id, key := "INTEGER UNSIGNED NOT NULL", "PRIMARY KEY"
	if c.autoInc {
		id += " AUTO_INCREMENT"
	}
	if c.secondary {
		key = "KEY xid"
	}
	engine := "ENGINE=" + c.engine
	if c.engine == "myisam" {
		engine += " MAX_ROWS=" + strconv.Itoa(c.maxRows)
	}
	text := fmt.Sprintf("CREATE TABLE %s (id %s, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, %s (id)) /*! %s */",
		c.table, id, key, engine)
	if c.createOptions != "" {
		text += " " + c.createOptions
	}
	return text
}

// fill inserts the rows, which are all the same.
func (c *command) fill() error {
	prefix, row := "INSERT INTO "+c.table+"(k, c, pad) VALUES ", "(0,' ','"+loadedPad+"')"
	if !c.autoInc {
		prefix, row = "INSERT INTO "+c.table+"(id, k, c, pad) VALUES ", ",0,' ','"+loadedPad+"')"
	}
	text := make([]byte, 0, len(prefix)+rowsPerInsert*(len(row)+12))
	for id := int64(1); id <= c.size; {
		text = append(text[:0], prefix...)
		for n := 0; n < rowsPerInsert && id <= c.size; n++ {
			if n > 0 {
				text = append(text, ',')
			}
			if !c.autoInc {
				text = append(text, '(')
				text = strconv.AppendInt(text, id, 10)
			}
			text = append(text, row...)
			id++
		}
		if err := c.query(string(text)); err != nil {
			return err
		}
	}
	return nil
}

// cleanup drops the table.
func cleanup(s workload.Setup, t workload.ThreadContext) error {
	c, err := newCommand(s, t)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	c.print("Dropping table '%s'...", s.Options.String("oltp_table_name"))
	return c.query("DROP TABLE IF EXISTS " + c.table)
}
