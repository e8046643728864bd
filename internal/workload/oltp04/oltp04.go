// Package oltp04 has the OLTP test that sysbench 0.4 had compiled in: `sysbench --test=oltp` (specification 5.14). It
// uses one table, draws the ids of a transaction before it starts, and executes a transaction that met a deadlock
// again with the same ids.
//
// The specification describes 0.4.12 from its sources, not from runs. Where it is silent the choice is noted beside
// the code and in docs/manual.md.
package oltp04

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"deltabench/internal/measure"
	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/workload"
)

// Name is the test's name on the command line: --test=oltp.
const Name = "oltp"

// DefaultEvents is the limit on events when none is given; there is no time limit then.
const DefaultEvents = 10000

// Kinds of statements, in the order of Kinds.
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
	kindSelectPad
	kindInsertRow
	kindCall
	kindCount
)

var kindNames = [kindCount]string{
	kindBegin: "begin", kindCommit: "commit", kindPoint: "point_selects", kindSimple: "simple_ranges",
	kindSum: "sum_ranges", kindOrder: "order_ranges", kindDistinct: "distinct_ranges", kindIndexUpdate: "index_updates",
	kindNonIndexUpdate: "non_index_updates", kindDelete: "deletes", kindInsert: "inserts",
	kindSelectPad: "nontrx_selects", kindInsertRow: "nontrx_inserts", kindCall: "calls",
}

// Test returns the test.
func Test() workload.Test { return test{} }

type test struct{}

func (test) Name() string { return Name }

// SQL reports true: the test needs a database.
func (test) SQL() bool { return true }

// Compiled reports true: the test was no script.
func (test) Compiled() bool { return true }

func (test) Options() []option.Spec { return slices.Clone(options) }

func (test) Commands() []workload.Command {
	return []workload.Command{{Name: "prepare", Do: prepare}, {Name: "cleanup", Do: cleanup}}
}

func (test) NewRun(s workload.Setup) (workload.Run, error) {
	c, err := newConfig(s.Options)
	if err != nil {
		return nil, err
	}
	if c.size == 0 {
		return nil, invalid("oltp-table-size", c.size, "1 or more")
	}
	return newRun(s, c), nil
}

// Statements returns what a transaction sends, in order.
func (test) Statements(_ string, o workload.Values) []workload.Statement {
	c, err := newConfig(o)
	if err != nil {
		return nil
	}
	var list []workload.Statement
	for _, st := range c.steps() {
		text := c.text(st.kind)
		same := func(x workload.Statement) bool { return x.SQL == text }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].PerEvent++
			continue
		}
		list = append(list, workload.Statement{Key: kindNames[st.kind], SQL: text, PerEvent: 1, Prepared: st.kind != kindCall})
	}
	return list
}

// Sample returns the ids that are drawn.
func (test) Sample(o workload.Values) (workload.Keys, error) {
	c, err := newConfig(o)
	if err != nil {
		return workload.Keys{}, err
	}
	return workload.Keys{
		Text: c.dist.String(), Low: 1, High: uint32(c.size),
		Draw: func(s *random.Source) uint32 { return uint32(c.dist.draw(s)) },
	}, nil
}

// Words that options have for values.
const (
	modeSimple  = "simple"
	modeComplex = "complex"
	modeNontrx  = "nontrx"
	modeSP      = "sp"

	reconnectSession     = "session"
	reconnectTransaction = "transaction"
	reconnectQuery       = "query"
	reconnectRandom      = "random"

	nontrxSelect      = "select"
	nontrxUpdateKey   = "update_key"
	nontrxUpdateNoKey = "update_nokey"
	nontrxInsert      = "insert"
	nontrxDelete      = "delete"
)

// options of the test, those of 0.4's last versions included, and the general and MySQL options of 0.4 that later
// versions do not know.
var options = []option.Spec{
	option.NewString("oltp-test-mode", modeComplex, "what a transaction is {simple,complex,nontrx,sp}"),
	option.NewString("oltp-reconnect-mode", reconnectSession, "when threads connect again {session,transaction,query,random}"),
	option.NewString("oltp-sp-name", "", "name of the stored procedure for the mode sp; it gets the thread's number and the number of threads"),
	option.NewBool("oltp-read-only", "off", "leave out statements that write"),
	option.NewBool("oltp-write-only", "off", "leave out statements that read"),
	option.NewBool("oltp-skip-trx", "off", "leave out BEGIN and COMMIT"),
	option.NewInt("oltp-range-size", "100", "rows of range queries"),
	option.NewInt("oltp-point-selects", "10", "point selects in a transaction"),
	option.NewBool("oltp-point-select-all-cols", "off", "point selects return all columns"),
	option.NewBool("oltp-point-select-mysql-handler", "off", "point selects are HANDLER statements"),
	option.NewBool("oltp-range-selects", "on", "execute range queries"),
	option.NewInt("oltp-simple-ranges", "1", "simple range queries in a transaction"),
	option.NewInt("oltp-sum-ranges", "1", "sums of a range in a transaction"),
	option.NewInt("oltp-order-ranges", "1", "ordered range queries in a transaction"),
	option.NewInt("oltp-distinct-ranges", "1", "DISTINCT range queries in a transaction"),
	option.NewInt("oltp-index-updates", "1", "updates of the indexed column in a transaction"),
	option.NewInt("oltp-non-index-updates", "1", "updates of another column in a transaction"),
	option.NewInt("oltp-delete-inserts", "1", "groups of UPDATE, DELETE and INSERT of one row in a transaction"),
	option.NewString("oltp-nontrx-mode", nontrxSelect, "statement of the mode nontrx {select,update_key,update_nokey,insert,delete}"),
	option.NewBool("oltp-auto-inc", "on", "the server makes ids"),
	option.NewBool("oltp-secondary", "off", "the id has a plain index in place of the primary key"),
	option.NewInt("oltp-connect-delay", "10000", "pause after connecting, in microseconds"),
	option.NewInt("oltp-user-delay-min", "0", "shortest pause before a statement, in microseconds"),
	option.NewInt("oltp-user-delay-max", "0", "longest pause before a statement, in microseconds"),
	option.NewString("oltp-table-name", "sbtest", "name of the table"),
	option.NewInt("oltp-table-size", "10000", "rows of the table"),
	option.NewString("oltp-dist-type", distSpecial, "distribution of ids {uniform,gaussian,special}"),
	option.NewInt("oltp-dist-iter", "12", "numbers that the distributions gaussian and special average"),
	option.NewInt("oltp-dist-pct", "1", "special: percentage of the ids that are special"),
	option.NewInt("oltp-dist-res", "75", "special: percentage of draws that give a special id"),
	option.NewString("mysql-table-engine", "innodb", "storage engine of the table"),
	option.NewString("mysql-engine-trx", "auto", "whether the engine has transactions {yes,no,auto}"),
	option.NewInt("myisam-max-rows", "1000000", "MAX_ROWS of MyISAM tables"),
	option.NewString("mysql-create-options", "", "further text for CREATE TABLE"),
	option.NewBool("init-rng", "off", "start random numbers from the time, which is done anyway. An explicit off makes them the same in each run"),
	option.NewInt("seed-rng", "0", "start random numbers from this number; 0: see --init-rng"),
	option.NewBool("batch", "off", "print results every --batch-delay seconds"),
	option.NewInt("batch-delay", "300", "seconds between results of --batch"),
}

// config is the options' values, checked.
type config struct {
	mode, reconnect, nontrx, procedure       string
	readOnly, writeOnly, skipTrx             bool
	allColumns, handler                      bool
	rangeSize                                int64
	points                                   int
	simple, sum, order, distinct             int // 0 without range selects
	indexUpdates, nonIndexUpdates, delInsert int
	autoInc, secondary                       bool
	connectDelay, delayMin, delayMax         int // µs
	table                                    string
	size                                     int64
	dist                                     dist
	engine, createOptions                    string
	transactional                            bool
	maxRows                                  int
}

// maxCount bounds statements in a transaction; a slip of the finger does not eat the memory.
const maxCount = 100_000

func newConfig(o workload.Values) (config, error) {
	c := config{
		mode: o.String("oltp_test_mode"), reconnect: o.String("oltp_reconnect_mode"), nontrx: o.String("oltp_nontrx_mode"),
		procedure: o.String("oltp_sp_name"), readOnly: o.Bool("oltp_read_only"), writeOnly: o.Bool("oltp_write_only"),
		allColumns: o.Bool("oltp_point_select_all_cols"), handler: o.Bool("oltp_point_select_mysql_handler"),
		skipTrx: o.Bool("oltp_skip_trx"), rangeSize: int64(o.Int("oltp_range_size")), points: o.Int("oltp_point_selects"),
		simple: o.Int("oltp_simple_ranges"), sum: o.Int("oltp_sum_ranges"), order: o.Int("oltp_order_ranges"),
		distinct: o.Int("oltp_distinct_ranges"), indexUpdates: o.Int("oltp_index_updates"),
		nonIndexUpdates: o.Int("oltp_non_index_updates"), delInsert: o.Int("oltp_delete_inserts"),
		autoInc: o.Bool("oltp_auto_inc"), secondary: o.Bool("oltp_secondary"), connectDelay: o.Int("oltp_connect_delay"),
		delayMin: o.Int("oltp_user_delay_min"), delayMax: o.Int("oltp_user_delay_max"),
		size: int64(o.Int("oltp_table_size")), engine: o.String("mysql_table_engine"),
		createOptions: o.String("mysql_create_options"), maxRows: o.Int("myisam_max_rows"),
		dist: dist{kind: o.String("oltp_dist_type"), iter: o.Int("oltp_dist_iter"), pct: o.Int("oltp_dist_pct"), res: o.Int("oltp_dist_res")},
	}
	if err := checkOptions(o); err != nil {
		return c, err
	}
	c.dist.size = uint64(c.size)
	if !o.Bool("oltp_range_selects") {
		c.simple, c.sum, c.order, c.distinct = 0, 0, 0, 0
	}
	c.table = quoted(o.String("oltp_table_name"))
	c.transactional = transactional(c.engine)
	switch o.String("mysql_engine_trx") {
	case "yes":
		c.transactional = true
	case "no":
		c.transactional = false
	}
	return c, nil
}

// invalid is the error of an option's value, with what it may be.
func invalid(name string, value any, allowed string) error {
	//lint:ignore ST1005 a line of the log
	return fmt.Errorf("Invalid value for --%s: '%v' (%s)", name, value, allowed)
}

// checkOptions refuses values that the test cannot work with.
func checkOptions(o workload.Values) error {
	for _, c := range []struct {
		name    string
		allowed []string
	}{
		{"oltp-test-mode", []string{modeSimple, modeComplex, modeNontrx, modeSP}},
		{"oltp-reconnect-mode", []string{reconnectSession, reconnectTransaction, reconnectQuery, reconnectRandom}},
		{"oltp-nontrx-mode", []string{nontrxSelect, nontrxUpdateKey, nontrxUpdateNoKey, nontrxInsert, nontrxDelete}},
		{"oltp-dist-type", []string{distUniform, distGaussian, distSpecial}},
		{"mysql-engine-trx", []string{"yes", "no", "auto"}},
	} {
		if v := o.String(option.Key(c.name)); !slices.Contains(c.allowed, v) {
			return invalid(c.name, v, strings.Join(c.allowed, ", "))
		}
	}
	for _, c := range []struct {
		name        string
		least, most int
	}{
		{"oltp-table-size", 0, math.MaxInt32},
		{"oltp-range-size", 1, math.MaxInt32},
		{"oltp-point-selects", 0, maxCount},
		{"oltp-simple-ranges", 0, maxCount},
		{"oltp-sum-ranges", 0, maxCount},
		{"oltp-order-ranges", 0, maxCount},
		{"oltp-distinct-ranges", 0, maxCount},
		{"oltp-index-updates", 0, maxCount},
		{"oltp-non-index-updates", 0, maxCount},
		{"oltp-delete-inserts", 0, maxCount},
		{"oltp-connect-delay", 0, math.MaxInt32},
		{"oltp-user-delay-min", 0, math.MaxInt32},
		{"oltp-user-delay-max", 0, math.MaxInt32},
		{"oltp-dist-iter", 1, 1000},
		{"oltp-dist-pct", 0, 100},
		{"oltp-dist-res", 0, 99},
		{"myisam-max-rows", 0, math.MaxInt32},
	} {
		if n := o.Int(option.Key(c.name)); n < c.least || n > c.most {
			return invalid(c.name, n, fmt.Sprintf("%d to %d", c.least, c.most))
		}
	}
	switch {
	case o.Int("oltp_user_delay_min") > o.Int("oltp_user_delay_max"):
		return invalid("oltp-user-delay-max", o.Int("oltp_user_delay_max"), "at least --oltp-user-delay-min")
	case o.Bool("oltp_read_only") && o.Bool("oltp_write_only"):
		return errors.New("--oltp-read-only and --oltp-write-only are mutually exclusive")
	case o.Bool("oltp_point_select_all_cols") && o.Bool("oltp_point_select_mysql_handler"):
		return errors.New("--oltp-point-select-all-cols and --oltp-point-select-mysql-handler are mutually exclusive")
	case o.String("oltp_test_mode") == modeSP && o.String("oltp_sp_name") == "":
		return errors.New("--oltp-test-mode=sp needs the name of a stored procedure: --oltp-sp-name=NAME")
	case o.String("oltp_table_name") == "":
		return invalid("oltp-table-name", "", "the name of a table")
	}
	return nil
}

// quoted returns a name as it stands in statements: plain ones as they are, as in 0.4.
func quoted(name string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '$' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if !strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) || strings.ContainsRune(name, '`') {
		return name
	}
	return "`" + name + "`"
}

// transactional reports whether a storage engine has transactions. Engines that are not known have.
func transactional(engine string) bool {
	switch strings.ToLower(engine) {
	case "myisam", "isam", "memory", "heap", "merge", "mrg_myisam", "archive", "csv", "aria", "blackhole":
		return false
	}
	return true
}
