package oltp

import (
	"deltabench/internal/measure"
	"deltabench/internal/workload"
)

// Statements returns what an event sends, in order, with table 1 for every table. Kinds that are not sent at all
// are left out.
func (t *test) Statements(driver string, o workload.Values) []workload.Statement {
	c := newConfig(o)
	p := t.program(c)
	switch {
	case p.ranges != nil:
		return []workload.Statement{{Key: kindNames[p.ranges.kind], SQL: p.ranges.sql, PerEvent: 1, Prepared: true}}
	case p.textInsert:
		columns, values := "id, k, c, pad", "?, ?, '?', '?'"
		if c.autoInc && driver == "pgsql" {
			columns, values = "k, c, pad", "?, '?', '?'"
		}
		return []workload.Statement{{
			Key: kindNames[kindInsert], SQL: "INSERT INTO sbtest1 (" + columns + ") VALUES (" + values + ")", PerEvent: 1,
		}}
	}
	var list []workload.Statement
	add := func(k measure.Kind, n int) {
		if n > 0 {
			list = append(list, workload.Statement{Key: kindNames[k], SQL: statement(k, 1), PerEvent: float64(n), Prepared: true})
		}
	}
	for _, g := range p.event {
		add(g.kind, g.times)
		if g.kind == kindDelete && !g.alone {
			add(kindInsert, g.times)
		}
	}
	return list
}
