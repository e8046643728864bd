package embedded

import (
	"github.com/dolthub/go-mysql-server/sql"
)

// stats answers the engine's questions for statistics: it has none but the number of rows, which is exact.
type stats struct{}

var _ sql.StatsProvider = stats{}

// GetTableStats returns none.
func (stats) GetTableStats(*sql.Context, string, sql.Table) ([]sql.Statistic, error) { return nil, nil }

// AnalyzeTable does nothing.
func (stats) AnalyzeTable(*sql.Context, sql.Table, string) error { return nil }

// SetStats does nothing.
func (stats) SetStats(*sql.Context, sql.Statistic) error { return nil }

// GetStats returns none.
func (stats) GetStats(*sql.Context, sql.StatQualifier, []string) (sql.Statistic, bool) {
	return nil, false
}

// DropStats does nothing.
func (stats) DropStats(*sql.Context, sql.StatQualifier, []string) error { return nil }

// DropDbStats does nothing.
func (stats) DropDbStats(*sql.Context, string, bool) error { return nil }

// RowCount returns the number of rows.
func (stats) RowCount(ctx *sql.Context, _ string, t sql.Table) (uint64, error) {
	if s, ok := sql.GetUnderlyingTable(t).(sql.StatisticsTable); ok {
		n, _, err := s.RowCount(ctx)
		return n, err
	}
	return 0, nil
}

// DataLength returns the size of a table in bytes, roughly.
func (stats) DataLength(ctx *sql.Context, _ string, t sql.Table) (uint64, error) {
	if s, ok := sql.GetUnderlyingTable(t).(sql.StatisticsTable); ok {
		return s.DataLength(ctx)
	}
	return 0, nil
}
