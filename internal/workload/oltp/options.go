package oltp

import (
	"slices"
	"strings"

	"deltabench/internal/option"
)

// commonOptions are those of oltp_common.
var commonOptions = []option.Spec{
	option.NewBool("auto_inc", "on", "Use AUTO_INCREMENT column as Primary Key (for MySQL), or its alternatives in other DBMS. When disabled, use client-generated IDs"),
	option.NewBool("create_secondary", "on", "Create a secondary index in addition to the PRIMARY KEY"),
	hidden(option.NewString("create_table_options", "", "Extra CREATE TABLE options")),
	option.NewDouble("delete_inserts", "1", "Number of DELETE/INSERT combinations per transaction"),
	option.NewDouble("distinct_ranges", "1", "Number of SELECT DISTINCT queries per transaction"),
	option.NewDouble("index_updates", "1", "Number of UPDATE index queries per transaction"),
	option.NewString("mysql_storage_engine", "innodb", "Storage engine, if MySQL is used"),
	option.NewDouble("non_index_updates", "1", "Number of UPDATE non-index queries per transaction"),
	option.NewDouble("order_ranges", "1", "Number of SELECT ORDER BY queries per transaction"),
	{
		Name: "pgsql_variant", Type: option.String, NoDefault: true,
		Desc: "Use this PostgreSQL variant when running with the PostgreSQL driver. The only currently supported variant is 'redshift'. When enabled, create_secondary is automatically disabled, and delete_inserts is set to 0",
	},
	option.NewDouble("point_selects", "10", "Number of point SELECT queries per transaction"),
	option.NewBool("range_selects", "on", "Enable/disable all range SELECT queries"),
	option.NewDouble("range_size", "100", "Range size for range SELECT queries"),
	hidden(option.NewDouble("reconnect", "0", "Reconnect after every N events. The default (0) is to not reconnect")),
	option.NewBool("secondary", "off", "Use a secondary index in place of the PRIMARY KEY"),
	option.NewDouble("simple_ranges", "1", "Number of simple range SELECT queries per transaction"),
	option.NewBool("skip_trx", "off", "Don't start explicit transactions and execute all queries in the AUTOCOMMIT mode"),
	option.NewDouble("sum_ranges", "1", "Number of SELECT SUM() queries per transaction"),
	option.NewDouble("table_size", "10000", "Number of rows per table"),
	option.NewDouble("tables", "1", "Number of tables"),
}

var (
	randomPointsOptions = []option.Spec{
		option.NewDouble("random_points", "10", "Number of random points in the IN() clause in generated SELECTs"),
	}
	randomRangesOptions = []option.Spec{
		option.NewDouble("delta", "5", "Size of BETWEEN ranges"),
		option.NewDouble("number_of_ranges", "10", "Number of random BETWEEN ranges per SELECT"),
	}
)

// withCommon returns all options of a test, sorted by name as help lists them.
func withCommon(own []option.Spec) []option.Spec {
	all := slices.Concat(commonOptions, own)
	slices.SortFunc(all, func(a, b option.Spec) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// hidden marks options that only later versions of sysbench have.
func hidden(s option.Spec) option.Spec {
	s.Hidden = true
	return s
}
