package oltp

import (
	"strconv"

	"deltabench/internal/measure"
	"deltabench/internal/random"
)

// Places in a script that sysbench names in errors of a thread's start.
const (
	atDriver = iota
	atConnect
)

func (r *run) position(place int) string {
	switch ranges := r.program.ranges; {
	case ranges != nil:
		return ranges.startPositions[place]
	case place == atDriver:
		return "oltp_common.lua:348"
	default:
		return "oltp_common.lua:349"
	}
}

func transaction(c config, groups ...group) []group {
	if c.skipTrx {
		return groups
	}
	groups = append([]group{{kind: kindBegin, times: 1}}, groups...)
	return append(groups, group{kind: kindCommit, times: 1})
}

func pointGroup(c config) group { return group{kind: kindPoint, times: times(c.pointSelects)} }

func rangeGroups(c config) []group {
	if !c.rangeSelects {
		return nil
	}
	return []group{
		{kind: kindSimple, times: times(c.simple)},
		{kind: kindSum, times: times(c.sum)},
		{kind: kindOrder, times: times(c.order)},
		{kind: kindDistinct, times: times(c.distinct)},
	}
}

func writeGroups(c config) []group {
	return []group{
		{kind: kindIndexUpdate, times: times(c.indexUpdates)},
		{kind: kindNonIndexUpdate, times: times(c.nonIndexUpdates)},
		{kind: kindDelete, times: times(c.deleteInserts)},
	}
}

func trxKinds(c config) []measure.Kind {
	if c.skipTrx {
		return nil
	}
	return []measure.Kind{kindBegin, kindCommit}
}

func rangeKinds(c config) []measure.Kind {
	if !c.rangeSelects {
		return nil
	}
	return []measure.Kind{kindSimple, kindSum, kindOrder, kindDistinct}
}

var writeKinds = []measure.Kind{kindIndexUpdate, kindNonIndexUpdate, kindDelete, kindInsert}

func readWrite(c config) program {
	p := program{prepare: append(trxKinds(c), kindPoint)}
	p.prepare = append(append(p.prepare, rangeKinds(c)...), writeKinds...)
	groups := append([]group{pointGroup(c)}, rangeGroups(c)...)
	p.event = transaction(c, append(groups, writeGroups(c)...)...)
	return p
}

func readOnly(c config) program {
	p := program{prepare: append([]measure.Kind{kindPoint}, trxKinds(c)...)}
	p.prepare = append(p.prepare, rangeKinds(c)...)
	p.event = transaction(c, append([]group{pointGroup(c)}, rangeGroups(c)...)...)
	return p
}

func writeOnly(c config) program {
	return program{prepare: append(trxKinds(c), writeKinds...), event: transaction(c, writeGroups(c)...)}
}

func pointSelect(config) program {
	return program{prepare: []measure.Kind{kindPoint}, event: []group{{kind: kindPoint, times: 1}}}
}

func updateIndex(c config) program {
	return program{
		prepare: []measure.Kind{kindIndexUpdate},
		event:   []group{{kind: kindIndexUpdate, times: times(c.indexUpdates)}},
	}
}

func updateNonIndex(c config) program {
	return program{
		prepare: []measure.Kind{kindNonIndexUpdate},
		event:   []group{{kind: kindNonIndexUpdate, times: times(c.nonIndexUpdates)}},
	}
}

func deleteOnly(config) program {
	return program{prepare: []measure.Kind{kindDelete}, event: []group{{kind: kindDelete, times: 1, alone: true}}}
}

func insertOnly(config) program { return program{textInsert: true} }

// insertText sends an insert of oltp_insert. Its draws are: table, k, c, pad, and the id if it is explicit.
func (w *worker) insertText() error {
	c := &w.run.config
	table := uniformTable(w.rng, w.tables)
	k := w.id()
	q := append(w.text[:0], "INSERT INTO sbtest"...)
	q = strconv.AppendUint(q, uint64(table), 10)
	serial := c.autoInc && w.run.setup.Driver.Name() == "pgsql"
	if serial {
		q = append(q, " (k, c, pad) VALUES ("...)
	} else {
		q = append(q, " (id, k, c, pad) VALUES ("...)
	}
	// The id is the first value but the last draw.
	w.pad = append(w.pad[:0], ", '"...)
	w.pad = random.AppendTemplate(w.pad, w.rng, cTemplate)
	w.pad = append(w.pad, "', '"...)
	w.pad = random.AppendTemplate(w.pad, w.rng, padTemplate)
	w.pad = append(w.pad, "')"...)
	if !serial {
		id := int64(0)
		if !c.autoInc {
			id = int64(w.run.setup.Random.Unique()) - 1<<31
		}
		q = strconv.AppendInt(q, id, 10)
		q = append(q, ", "...)
	}
	q = strconv.AppendUint(q, uint64(k), 10)
	w.text = append(q, w.pad...)
	if _, err := w.conn.Query(string(w.text), nil); err != nil {
		return scriptError("oltp_insert.lua:61", "", err)
	}
	return nil
}
