package conduct

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"deltabench/internal/admin"
	"deltabench/internal/child"
	"deltabench/internal/study"
)

// expected is what the tables of a target hold.
type expected struct {
	Made      bool // by a study: not there before
	Tables    []string
	Rows      map[string]int64
	Checksums map[string]string
}

// expectedFile has what the tables of all targets held at the beginning, for those who go on.
const expectedFile = "expected.json"

func (c *conductor) keepExpected() error {
	text, err := json.Marshal(c.expect)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.dir, expectedFile), text, 0o600)
}

// readExpected reads it; without the file nothing is expected yet.
func (c *conductor) readExpected() {
	if text, err := os.ReadFile(filepath.Join(c.dir, expectedFile)); err == nil {
		_ = json.Unmarshal(text, &c.expect) // a part of a file is as good as none
	}
}

// countedRows is up to how many rows in all are counted before every scenario: counting reads tables into the server's caches.
const countedRows = 2_000_000

// dataSeed is the seed of the rows: the same on all targets and in all studies.
const dataSeed = 42

// bundledData reports whether the tables are those of a bundled test.
func (c *conductor) bundledData() bool {
	return c.plan.Data.Workload != "" && !filepath.IsAbs(c.plan.Data.Workload)
}

// connection are the options of a child that reach a server.
func connection(a admin.Address) []string {
	args := []string{"--no-defaults", "--mysql-user=" + a.User, "--mysql-db=" + a.DB}
	if a.TLS != "" {
		args = append(args, "--mysql-ssl="+strings.ToLower(a.TLS))
	}
	if a.Socket != "" {
		return append(args, "--mysql-socket="+a.Socket)
	}
	return append(args, "--mysql-host="+a.Host, fmt.Sprintf("--mysql-port=%d", a.Port))
}

// dataOptions are the options of a test that say which tables there are.
func (c *conductor) dataOptions(test string) []string {
	var args []string
	if c.bundledData() && !filepath.IsAbs(test) {
		if test != "bulk_insert" {
			args = append(args, fmt.Sprintf("--tables=%d", c.plan.Data.Tables), fmt.Sprintf("--table-size=%d", c.plan.Data.Rows))
		}
		args = append(args, asArgs(c.plan.Data.Options)...)
	}
	return args
}

func asArgs(list []study.Option) []string {
	var args []string
	for _, o := range list {
		args = append(args, "--"+o.Name+"="+o.Value)
	}
	return args
}

// command is a child of this study.
func (c *conductor) command(a admin.Address, args ...string) child.Command {
	x := child.Command{Program: c.Program, Face: "deltabench", Dir: c.dir, CPUs: c.plan.CPUs.Client, Args: append(connection(a), args...)}
	if a.Password != "" {
		x.Password = &a.Password
	}
	return x
}

// prepare makes the data of a target on a server without any, and notes what they are.
func (c *conductor) prepare(ctx context.Context, t *study.Target, a admin.Address) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	d := c.plan.Data
	switch {
	case len(d.SQL) > 0:
		c.say(Event{Kind: TargetPreparing, Text: fmt.Sprintf("%s: %d SQL statements", t.Name, len(d.SQL))})
		s, err := admin.Open(ctx, a)
		if err != nil {
			return err
		}
		defer s.Close()
		for _, q := range d.SQL {
			if err := s.Exec(ctx, q); err != nil {
				return err
			}
		}
	case d.Workload != "":
		text := d.Workload
		if c.bundledData() {
			text = fmt.Sprintf("load %d x %d rows", d.Tables, d.Rows)
		}
		c.say(Event{Kind: TargetPreparing, Text: t.Name + ": " + text})
		if r := child.Do(ctx, c.command(a, c.prepareArgs()...)); r.Err != nil {
			return fmt.Errorf("prepare the data: %w", r.Err)
		}
	default:
		return nil
	}
	if err := c.note(ctx, t, a); err != nil {
		return err
	}
	x := c.expect[t.Name]
	x.Made = true
	c.expect[t.Name] = x
	return c.keepExpected()
}

// note remembers what the tables hold.
func (c *conductor) note(ctx context.Context, t *study.Target, a admin.Address) error {
	if t.Kind == study.Embedded {
		return nil // it has what was loaded a moment ago
	}
	s, err := admin.Open(ctx, a)
	if err != nil {
		return err
	}
	defer s.Close()
	x := expected{Made: c.expect[t.Name].Made}
	if x.Tables, err = s.Tables(ctx, a.DB); err != nil {
		return err
	}
	if c.bundledData() {
		x.Tables = slices.DeleteFunc(x.Tables, func(name string) bool { return !slices.Contains(c.tables(), name) })
	}
	if c.counts() {
		if x.Rows, err = s.Rows(ctx, a.DB, x.Tables); err != nil {
			return err
		}
	}
	if c.plan.Checksum {
		if x.Checksums, err = s.Checksums(ctx, a.DB, x.Tables); err != nil {
			return err
		}
	}
	c.expect[t.Name] = x
	return c.keepExpected()
}

// counts reports whether rows are counted.
func (c *conductor) counts() bool {
	return c.plan.Checksum || int64(c.plan.Data.Tables)*c.plan.Data.Rows <= countedRows
}

// tables are the names of the tables of a bundled test.
func (c *conductor) tables() []string {
	var names []string
	for i := range c.plan.Data.Tables {
		names = append(names, fmt.Sprintf("sbtest%d", i+1))
	}
	return names
}

// prepareAgain drops the tables and makes them anew.
func (c *conductor) prepareAgain(ctx context.Context, t *study.Target, a admin.Address) error {
	if t.Kind == study.External && !c.expect[t.Name].Made && !c.Yes {
		return &Problem{Where: "target " + t.Name, What: fmt.Sprintf("state: reset drops the tables of schema %s, which were there before the study", a.DB), Fix: "give --yes if they may be dropped, or drop them yourself", Guard: len(c.have) == 0}
	}
	if c.plan.Data.Workload != "" {
		args := append([]string{c.plan.Data.Workload}, c.dataOptions(c.plan.Data.Workload)...)
		if r := child.Do(ctx, c.command(a, append(args, "cleanup")...)); r.Err != nil {
			return fmt.Errorf("drop the tables: %w", r.Err)
		}
	}
	return c.prepare(ctx, t, a)
}

// prepareMissing makes tables on a server that is not ours when they are not there; others than those of the plan are refused, not
// dropped.
func (c *conductor) prepareMissing(ctx context.Context, t *study.Target, s *admin.Server, a admin.Address) error {
	if !c.bundledData() {
		if len(c.have) == 0 && (c.plan.Data.Workload != "" || len(c.plan.Data.SQL) > 0) {
			return c.prepare(ctx, t, a)
		}
		return nil
	}
	there, err := s.Tables(ctx, a.DB)
	if err != nil {
		return err
	}
	have := slices.DeleteFunc(slices.Clone(c.tables()), func(name string) bool { return !slices.Contains(there, name) })
	switch {
	case len(have) == 0:
		return c.prepare(ctx, t, a)
	case len(have) < len(c.tables()):
		return &Problem{Where: "target " + t.Name, What: fmt.Sprintf("schema %s has %d of the %d tables sbtest1..sbtest%d", a.DB, len(have), len(c.tables()), len(c.tables())), Fix: "drop them (deltabench ... cleanup), or name another schema with db", Guard: true}
	}
	if c.counts() {
		rows, err := s.Rows(ctx, a.DB, have)
		if err != nil {
			return err
		}
		for _, name := range have {
			switch n := rows[name]; {
			case n == c.plan.Data.Rows:
			case abs(n-c.plan.Data.Rows)*100 <= c.plan.Data.Rows: // as runs leave it that were cut short
				c.say(Event{Kind: Warned, Text: fmt.Sprintf("target %s: table %s has %d rows, and the study says %d: it is measured as it is", t.Name, name, n, c.plan.Data.Rows)})
			default:
				return &Problem{Where: "target " + t.Name, What: fmt.Sprintf("table %s of schema %s has %d rows, and the study says %d", name, a.DB, n, c.plan.Data.Rows), Fix: "set data.table_size to what is there, or drop the tables", Guard: true}
			}
		}
	}
	return c.note(ctx, t, a)
}

func abs(n int64) int64 { return max(n, -n) }

// verify compares the tables with what they held. Runs that write may leave a few rows more or less where they were cut short; more
// than a hundredth is another data set.
func (c *conductor) verify(ctx context.Context, t *study.Target, s *admin.Server, schema string, fresh bool) error {
	x, ok := c.expect[t.Name]
	if !ok || len(x.Tables) == 0 {
		return nil
	}
	var errs []error
	if x.Rows != nil {
		rows, err := s.Rows(ctx, schema, x.Tables)
		if err != nil {
			return err
		}
		for _, name := range x.Tables {
			switch was, is := x.Rows[name], rows[name]; {
			case was == is:
			case fresh, abs(was-is)*100 > was:
				errs = append(errs, fmt.Errorf("table %s has %d rows, and had %d: the data are not those of the study", name, is, was))
			default:
				c.say(Event{Kind: Warned, Text: fmt.Sprintf("target %s: table %s has %d rows, and had %d at the beginning", t.Name, name, is, was)})
			}
		}
	}
	if x.Checksums != nil && fresh {
		sums, err := s.Checksums(ctx, schema, x.Tables)
		if err != nil {
			return err
		}
		for _, name := range x.Tables {
			if sums[name] != x.Checksums[name] {
				errs = append(errs, fmt.Errorf("table %s has another checksum than at the beginning", name))
			}
		}
	}
	return errors.Join(errs...)
}
