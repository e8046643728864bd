package embedded

import (
	"slices"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
)

// database holds tables by their names, which are not case-sensitive. It is safe for concurrent use.
type database struct {
	name  string
	locks *locks

	mu        sync.RWMutex
	tables    map[string]*table             // by lower-case name
	views     map[string]sql.ViewDefinition // by lower-case name
	collation sql.CollationID
}

var (
	_ sql.TableCreator     = (*database)(nil)
	_ sql.TableDropper     = (*database)(nil)
	_ sql.TableRenamer     = (*database)(nil)
	_ sql.CollatedDatabase = (*database)(nil)
)

func newDatabase(name string, l *locks, collation sql.CollationID) *database {
	return &database{name: name, locks: l, tables: map[string]*table{}, views: map[string]sql.ViewDefinition{}, collation: collation}
}

// Name returns the name.
func (d *database) Name() string { return d.name }

// GetCollation returns the default of tables.
func (d *database) GetCollation(*sql.Context) sql.CollationID {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.collation
}

// SetCollation changes the default of tables.
func (d *database) SetCollation(_ *sql.Context, c sql.CollationID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.collation = c
	return nil
}

// GetTableInsensitive finds a table.
func (d *database) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	t, ok := d.tables[strings.ToLower(name)]
	if !ok {
		return nil, false, nil
	}
	return t, true, nil
}

// GetTableNames returns the names in alphabetical order.
func (d *database) GetTableNames(*sql.Context) ([]string, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	names := make([]string, 0, len(d.tables))
	for _, t := range d.tables {
		names = append(names, t.name)
	}
	slices.Sort(names)
	return names, nil
}

// CreateTable adds an empty table.
func (d *database) CreateTable(_ *sql.Context, name string, schema sql.PrimaryKeySchema, collation sql.CollationID, comment string) error {
	t := table{db: d, name: name, schema: schema, collation: collation, comment: comment, data: newTableData(d.locks, schema)}.with()
	d.mu.Lock()
	defer d.mu.Unlock()
	key := strings.ToLower(name)
	if _, ok := d.tables[key]; ok {
		return sql.ErrTableAlreadyExists.New(name)
	}
	d.tables[key] = t
	return nil
}

// DropTable removes a table. Statements that read it go on.
func (d *database) DropTable(_ *sql.Context, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := strings.ToLower(name)
	if _, ok := d.tables[key]; !ok {
		return sql.ErrTableNotFound.New(name)
	}
	delete(d.tables, key)
	return nil
}

// RenameTable gives a table another name.
func (d *database) RenameTable(_ *sql.Context, from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.tables[strings.ToLower(from)]
	if !ok {
		return sql.ErrTableNotFound.New(from)
	}
	if _, ok := d.tables[strings.ToLower(to)]; ok {
		return sql.ErrTableAlreadyExists.New(to)
	}
	renamed := *t
	renamed.name = to
	renamed.schema.Schema = t.schema.Schema.Copy()
	for _, c := range renamed.schema.Schema {
		c.Source = to
	}
	delete(d.tables, strings.ToLower(from))
	d.tables[strings.ToLower(to)] = renamed.with()
	return nil
}

// replace puts a changed table in the place of the one of the same name.
func (d *database) replace(t table) {
	changed := t.with()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tables[strings.ToLower(t.name)] = changed
}

// current returns the table of this name as it is now: statements of several steps hold one of before.
func (d *database) current(t *table) table {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if now, ok := d.tables[strings.ToLower(t.name)]; ok {
		return *now
	}
	return *t
}

// provider holds the databases. It is safe for concurrent use.
type provider struct {
	locks *locks

	mu        sync.RWMutex
	databases map[string]*database // by lower-case name
}

var _ sql.CollatedDatabaseProvider = (*provider)(nil)

// errNoAccounts answers the engine's question for its accounts, which it asks before every statement: an error made anew
// takes the stack with it, 4 % of a point select.
var errNoAccounts = sql.ErrDatabaseNotFound.New("mysql")

// Database finds a database.
func (p *provider) Database(_ *sql.Context, name string) (sql.Database, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if d, ok := p.databases[strings.ToLower(name)]; ok {
		return d, nil
	}
	if name == "mysql" {
		return nil, errNoAccounts
	}
	return nil, sql.ErrDatabaseNotFound.New(name)
}

// HasDatabase reports whether there is a database.
func (p *provider) HasDatabase(_ *sql.Context, name string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	_, ok := p.databases[strings.ToLower(name)]
	return ok
}

// AllDatabases returns the databases in alphabetical order.
func (p *provider) AllDatabases(*sql.Context) []sql.Database {
	p.mu.RLock()
	defer p.mu.RUnlock()
	list := make([]sql.Database, 0, len(p.databases))
	for _, d := range p.databases {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b sql.Database) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// CreateDatabase adds an empty database.
func (p *provider) CreateDatabase(ctx *sql.Context, name string) error {
	return p.CreateCollatedDatabase(ctx, name, sql.Collation_Default)
}

// CreateCollatedDatabase adds an empty database with a default collation.
func (p *provider) CreateCollatedDatabase(_ *sql.Context, name string, collation sql.CollationID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := strings.ToLower(name)
	if _, ok := p.databases[key]; ok {
		return sql.ErrDatabaseExists.New(name)
	}
	p.databases[key] = newDatabase(name, p.locks, collation)
	return nil
}

// DropDatabase removes a database with its tables.
func (p *provider) DropDatabase(_ *sql.Context, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := strings.ToLower(name)
	if _, ok := p.databases[key]; !ok {
		return sql.ErrDatabaseNotFound.New(name)
	}
	delete(p.databases, key)
	return nil
}
