package oltp

import (
	"fmt"
	"strconv"

	"deltabench/internal/random"
	"deltabench/internal/workload"
	"deltabench/internal/workload/load"
)

// Bytes that a row takes on disk, from tables of 1,000,000 rows: with pages filled in the order of ids, and what
// the columns alone need.
const (
	diskRow      = 225
	diskIndexRow = 15 // for the secondary index
	leastRow     = 4 + 4 + 120 + 60
)

// maxRow is the longest row in any format: two numbers, two texts, quotes and separators.
const maxRow = 10 + 10 + len(cTemplate) + len(padTemplate) + 12

// LoadPlan describes the tables of the options for package load: what prepare makes of them.
func (t *test) LoadPlan(s workload.Setup) (load.Plan, error) {
	c := command{config: newConfig(s.Options), setup: s}
	if t.prepareConfig != nil {
		t.prepareConfig(&c.config)
	}
	rows := max(0, random.Int64(c.tableSize))
	p := load.Plan{
		Columns: "id, k, c, pad", Whole: fmt.Sprintf("CHAR_LENGTH(pad) = %d", len(padTemplate)),
		MaxRow: maxRow, DiskRow: diskRow, LeastRow: leastRow,
		AppendRow: rowWriter(s.Dist, uint32(rows)),
	}
	for n := 1; n <= times(c.tables); n++ {
		create, err := c.createStatement(n)
		if err != nil {
			return p, err
		}
		table := load.Table{Name: tableName(n), Create: create, Rows: rows}
		if c.createSecondary {
			table.IndexName, table.Index = fmt.Sprintf("k_%d", n), indexStatement(n)
		}
		p.Tables = append(p.Tables, table)
	}
	if c.createSecondary {
		p.DiskRow += diskIndexRow
	}
	return p, nil
}

// rowWriter returns load.Plan.AppendRow for tables of a size. The draws of a row are c, pad, k, as in fill.
func rowWriter(dist *random.Dist, size uint32) func([]byte, load.Format, *random.Source, int64) []byte {
	const digits = 10 // of the largest k
	return func(dst []byte, f load.Format, src *random.Source, id int64) []byte {
		before, between, after := "\t", "\t", "\n"
		if f == load.Values {
			dst = append(dst, '(')
			before, between, after = ",'", "','", "')"
		}
		dst = strconv.AppendInt(dst, id, 10)
		if f == load.Values {
			dst = append(dst, ',')
		} else {
			dst = append(dst, '\t')
		}
		// k comes before the texts but is drawn after them: they are made where the longest k would end.
		start := len(dst)
		dst = append(dst, "0000000000"[:digits]...)
		dst = append(dst, before...)
		dst = random.AppendTemplate(dst, src, cTemplate)
		dst = append(dst, between...)
		dst = random.AppendTemplate(dst, src, padTemplate)
		dst = append(dst, after...)
		var number [20]byte
		k := strconv.AppendUint(number[:0], uint64(dist.Default(src, 1, size)), 10)
		n := copy(dst[start:], k)
		return append(dst[:start+n], dst[start+digits:]...)
	}
}
