package embedded

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

var _ sql.ViewDatabase = (*database)(nil)

// CreateView keeps the text of a view.
func (d *database) CreateView(_ *sql.Context, name, selectText, createText string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := strings.ToLower(name)
	if _, ok := d.views[key]; ok {
		return sql.ErrExistingView.New(d.name, name)
	}
	d.views[key] = sql.ViewDefinition{Name: name, TextDefinition: selectText, CreateViewStatement: createText}
	return nil
}

// DropView forgets a view.
func (d *database) DropView(_ *sql.Context, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := strings.ToLower(name)
	if _, ok := d.views[key]; !ok {
		return sql.ErrViewDoesNotExist.New(d.name, name)
	}
	delete(d.views, key)
	return nil
}

// GetViewDefinition finds a view.
func (d *database) GetViewDefinition(_ *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	v, ok := d.views[strings.ToLower(name)]
	return v, ok, nil
}

// AllViews returns the views in alphabetical order.
func (d *database) AllViews(*sql.Context) ([]sql.ViewDefinition, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	list := make([]sql.ViewDefinition, 0, len(d.views))
	for _, v := range d.views {
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b sql.ViewDefinition) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}
