package reference

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"deltabench/internal/table"
)

//go:embed data/*.csv
var files embed.FS

// Set is a published set of figures.
type Set struct {
	Name     string
	Question string
	Layouts  []table.Layout // that its figures suit, the first by default
	make     func(*Set, int) (*table.Comparisons, error)
}

// HeadlineThreads is the number of threads of the summary table of performance-schema.
const HeadlineThreads = 32

// Sets are all of them.
func Sets() []Set {
	return []Set{
		{
			Name: "performance-schema", Question: "What does each level of Performance Schema monitoring cost?",
			Layouts: []table.Layout{table.ThreadRows, table.ScenarioRows, table.List}, make: performanceSchema,
		},
		{
			Name: "confidential", Question: "What does it cost when every column of a result is encrypted?",
			Layouts: []table.Layout{table.Pairs, table.List}, make: confidential,
		},
		{
			Name: "hotspot", Question: "How many updates of one row are there in a second?",
			Layouts: []table.Layout{table.Counts}, make: hotspot,
		},
		{
			Name: "network", Question: "What does a shorter network path gain?",
			Layouts: []table.Layout{table.List}, make: network,
		},
		{
			Name: "buffer-pool", Question: "Does a buffer pool of 512 MB instead of 128 MB help a small table?",
			Layouts: []table.Layout{table.Single, table.List}, make: bufferPool,
		},
	}
}

// Find returns the set of a name.
func Find(name string) (Set, error) {
	var names []string
	for _, s := range Sets() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Set{}, fmt.Errorf("there is no published set '%s'; sets are %s", name, strings.Join(names, ", "))
}

// Comparisons are the set's figures, those of one number of threads only when threads is not 0.
func (s Set) Comparisons(threads int) (*table.Comparisons, error) {
	c, err := s.make(&s, threads)
	if err != nil {
		return nil, fmt.Errorf("published set %s: %w", s.Name, err)
	}
	if threads == 0 {
		return c, nil
	}
	var known []string
	for _, l := range c.Lines {
		if t := strconv.Itoa(l.Threads); l.Threads > 0 && !slices.Contains(known, t) {
			known = append(known, t)
		}
	}
	c.Lines = slices.DeleteFunc(c.Lines, func(l table.Line) bool { return l.Threads != threads })
	if len(c.Lines) == 0 {
		if len(known) == 0 {
			return nil, fmt.Errorf("the figures of %s do not depend on a number of threads", s.Name)
		}
		return nil, fmt.Errorf("%s has no figures for %d threads; it has %s", s.Name, threads, strings.Join(known, ", "))
	}
	return c, nil
}

// unrepeated is what all sets have in common.
const unrepeated = "Published figures, one for each cell: no interval can be computed, so there is no verdict. Changes are computed from the values shown."

// record is a row of a file by the names of its columns.
type record map[string]string

// number is a field as a number; nil when it is empty.
func (r record) number(name string) (*float64, error) {
	text, ok := r[name]
	if !ok {
		return nil, fmt.Errorf("no column %s", name)
	}
	if text == "" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, fmt.Errorf("%s: '%s' is no number", name, text)
	}
	return &v, nil
}

func read(file string) ([]record, error) {
	content, err := files.ReadFile("data/" + file)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var records []record
	for _, row := range rows[1:] {
		r := record{}
		for i, name := range rows[0] {
			r[name] = row[i]
		}
		records = append(records, r)
	}
	return records, nil
}

// qps is the metric of most sets.
var qps = table.Metric{Name: "QPS", Unit: "queries/s"}
