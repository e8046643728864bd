// Package oltp has the SQL workloads that sysbench bundles as Lua scripts, in Go: statement for statement, random
// draw for random draw and message for message (specification 6).
//
// Numbers among the options are floating point, as in the scripts: loops run to the integer below, range
// bounds are truncated when they are sent. What people can observe was compared with sysbench 1.0.20.
package oltp

import (
	"fmt"
	"math"

	"deltabench/internal/measure"
	"deltabench/internal/option"
	"deltabench/internal/workload"
)

// Kinds of statements, in the order of Kinds().
const (
	kindBegin measure.Kind = 1 + iota
	kindCommit
	kindPoint
	kindSimple
	kindSum
	kindOrder
	kindDistinct
	kindIndexUpdate
	kindNonIndexUpdate
	kindDelete
	kindInsert
	kindRandomPoints
	kindRandomRanges
	kindBulk
	kindCount
)

// kindNames are the keys of statements in the scripts, where they have one.
var kindNames = [kindCount]string{
	kindBegin: "begin", kindCommit: "commit", kindPoint: "point_selects", kindSimple: "simple_ranges",
	kindSum: "sum_ranges", kindOrder: "order_ranges", kindDistinct: "distinct_ranges",
	kindIndexUpdate: "index_updates", kindNonIndexUpdate: "non_index_updates", kindDelete: "deletes",
	kindInsert: "inserts", kindRandomPoints: "random_points", kindRandomRanges: "random_ranges",
	kindBulk: "bulk_inserts",
}

// Kinds returns the names of statement kinds; index = measure.Kind, [0] is not used.
func Kinds() []string { return append([]string(nil), kindNames[:]...) }

// Tests returns all tests of the package.
func Tests() []workload.Test {
	all := make([]workload.Test, 0, len(tests)+1)
	for _, t := range tests {
		all = append(all, t)
	}
	return append(all, bulkTest{})
}

// test is a workload that uses the tables of oltp_common.
type test struct {
	name    string
	options []option.Spec // besides the common ones
	program func(config) program
	// Replacements of what most tests do; nil where they do not differ.
	prepareConfig func(*config)
	cleanupCheck  func(config) error
}

// tests in the order of the specification.
var tests = []*test{
	{name: "oltp_read_write", program: readWrite},
	{name: "oltp_read_only", program: readOnly},
	{name: "oltp_write_only", program: writeOnly},
	{name: "oltp_point_select", program: pointSelect},
	{name: "oltp_insert", program: insertOnly, prepareConfig: emptyWithoutAutoInc},
	{name: "oltp_delete", program: deleteOnly},
	{name: "oltp_update_index", program: updateIndex},
	{name: "oltp_update_non_index", program: updateNonIndex},
	{name: "select_random_points", options: randomPointsOptions, program: randomPoints, cleanupCheck: oneTable("select_random_points.lua:27")},
	{name: "select_random_ranges", options: randomRangesOptions, program: randomRanges, cleanupCheck: oneTable("select_random_ranges.lua:29")},
}

func (t *test) Name() string { return t.name }

// SQL reports true: the tests need a database.
func (t *test) SQL() bool { return true }

func (t *test) Options() []option.Spec { return withCommon(t.options) }

func (t *test) NewRun(s workload.Setup) (workload.Run, error) {
	c := newConfig(s.Options)
	for name, n := range map[string]float64{"random_points": c.randomPoints, "number_of_ranges": c.numberOfRanges} {
		if n > maxParams/2 {
			return nil, fmt.Errorf("invalid value for --%s: %g, the limit is %d", name, n, maxParams/2)
		}
	}
	return &run{setup: s, config: c, program: t.program(c)}, nil
}

// maxParams is the number of parameters that servers accept in a statement. sysbench leaves the refusal to them;
// we would build a text of gigabytes first.
const maxParams = 65535

// config is the options' values.
type config struct {
	tables, tableSize, rangeSize                               float64
	pointSelects, simple, sum, order, distinct                 float64
	indexUpdates, nonIndexUpdates, deleteInserts               float64
	rangeSelects, autoInc, skipTrx, secondary, createSecondary bool
	engine, tableOptions                                       string
	reconnect                                                  float64
	randomPoints, numberOfRanges, delta                        float64
}

func newConfig(o workload.Values) config {
	c := config{
		tables: o.Float("tables"), tableSize: o.Float("table_size"), rangeSize: o.Float("range_size"),
		pointSelects: o.Float("point_selects"), simple: o.Float("simple_ranges"), sum: o.Float("sum_ranges"),
		order: o.Float("order_ranges"), distinct: o.Float("distinct_ranges"),
		indexUpdates: o.Float("index_updates"), nonIndexUpdates: o.Float("non_index_updates"),
		deleteInserts: o.Float("delete_inserts"),
		rangeSelects:  o.Bool("range_selects"), autoInc: o.Bool("auto_inc"), skipTrx: o.Bool("skip_trx"),
		secondary: o.Bool("secondary"), createSecondary: o.Bool("create_secondary"),
		engine: o.String("mysql_storage_engine"), tableOptions: o.String("create_table_options"),
		reconnect: o.Float("reconnect"),
	}
	if o.Has("random_points") {
		c.randomPoints = o.Float("random_points")
	}
	if o.Has("number_of_ranges") {
		c.numberOfRanges, c.delta = o.Float("number_of_ranges"), o.Float("delta")
	}
	return c
}

// times returns how often a Lua loop from 1 to f runs.
func times(f float64) int {
	switch {
	case !(f >= 1):
		return 0
	case f > math.MaxInt32:
		return math.MaxInt32
	}
	return int(f)
}

// tableName returns the name of table n, counted from 1.
func tableName(n int) string { return fmt.Sprintf("sbtest%d", n) }

// scriptError says where sysbench would have met err. Restarts and interruptions are not errors of the script.
func scriptError(position, text string, err error) error {
	if passThrough(err) {
		return err
	}
	return &workload.ScriptError{Position: position, Text: text, Err: err}
}
