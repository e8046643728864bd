package lib

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, contains string }{ // empty: not found
		{"oltp_common", "function cmd_prepare()"},
		{"./oltp_common.lua", "function cmd_prepare()"},
		{"/usr/share/sysbench/oltp_common.lua", "function cmd_prepare()"},
		{"common", "function set_vars()"},
		{"./common.lua", "function set_vars()"},
		{"/home/me/tests/common.lua", "function set_vars()"},
		{"oltp_read_only", "execute_sum_ranges()"},
		{"/usr/local/share/sysbench/bulk_insert.lua", "con:bulk_insert_next("},
		{"/usr/share/sysbench/tests/include/oltp_legacy/bulk_insert.lua", "db_bulk_insert_next("},
		{"/usr/share/doc/sysbench/tests/db/oltp.lua", "SUM(K)"},
		{"tests/db/../db/select.lua", "SELECT pad"},
		{"oltp", ""},
		{"select", ""},
		{"oltp_legacy", ""},
		{"oltp_read_only.lua", ""}, // sysbench finds neither this nor the next one
		{"./oltp_read_only.lua", ""},
		{"/usr/share/sysbench/oltp_read_only", ""},
		{"x/common", ""},
		{"", ""},
		{"..", ""},
		{"../lib", ""},
	} {
		text, ok := Find(c.name)
		if ok != (c.contains != "") || !strings.Contains(text, c.contains) {
			t.Errorf("Find(%q) is %.40q, %v; want a text with %q", c.name, text, ok, c.contains)
		}
	}
}
