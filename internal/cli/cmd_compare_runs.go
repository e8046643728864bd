package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"deltabench/internal/sample"
	"deltabench/internal/store"
	"deltabench/internal/sysbench"
	"deltabench/internal/table"
)

// Names of the sides where nothing better is known.
const (
	baselineName  = "baseline"
	candidateName = "candidate"
)

// maxName is the longest word that names a side by itself.
const maxName = 24

// sideName is what a side is called: by the one word that names its runs.
func sideName(words []string, otherwise string) string {
	if len(words) == 1 && len(words[0]) <= maxName {
		return words[0]
	}
	return otherwise
}

// compareRuns compares runs that are there.
func (f *compareFlags) compareRuns(cmd *cobra.Command, baseline, candidate []string) (int, error) {
	env := f.store.env
	ctx := cmd.Context()
	var opened *store.Store
	defer func() {
		if opened != nil {
			opened.Close()
		}
	}()
	loader := &sample.Loader{Open: func() (sample.Source, error) {
		path, err := f.store.path()
		if err != nil {
			return nil, err
		}
		opened, err = store.Open(ctx, path, store.ReadOnly)
		return opened, err
	}}
	var sides [2][]*sample.Run
	for i, words := range [][]string{baseline, candidate} {
		var err error
		if sides[i], err = loader.Load(ctx, words); err != nil {
			return 0, f.store.ended(cmd, err)
		}
	}
	if err := both(sides); err != nil {
		return 0, err
	}
	like := sample.Unlike(sides[0], sides[1])
	if refused := like.Refused(f.allow); len(refused) > 0 && !f.force {
		fmt.Fprintf(env.Stderr, "deltabench compare: the runs are not alike (baseline | candidate):\n")
		names := map[string]bool{}
		for _, d := range refused {
			fmt.Fprintf(env.Stderr, "  %s\n", d)
			names[d.Name] = true
		}
		var list []string
		for _, name := range sample.Allowable() {
			if names[name] {
				list = append(list, name)
			}
		}
		fmt.Fprintf(env.Stderr, "If that is what is compared: --allow=%s; --force compares whatever differs.\n", strings.Join(list, ","))
		return sysbench.ExitFailure, nil
	}
	names := [2]string{sideName(baseline, baselineName), sideName(candidate, candidateName)}
	if names[0] == names[1] {
		names = [2]string{baselineName, candidateName}
	}
	c := &comparing{flags: f, names: names, before: differing(like.Differences)}
	if len(like.Unknown) > 0 {
		c.notes = append(c.notes, "not checked, since not every source tells: "+strings.Join(like.Unknown, ", "))
	}
	c.arrange(sides)
	for i := range sides {
		c.notes = append(c.notes, countedOnce(sides[i])...)
		c.notes = append(c.notes, failures(names[i], sides[i])...)
	}
	c.notes = append(c.notes, failedStatements(names, sides)...)
	if c.few() {
		c.notes = append(c.notes, needed(sides))
	}
	t, worse, err := c.judge()
	if err != nil {
		return 0, err
	}
	if withoutRatio(t) {
		t.Notes = append(t.Notes, "errors where a run had none: arithmetic means, which have no ratio")
	}
	return f.end(t, worse)
}

// withoutRatio shows how many errors there were where a side has runs without: geometric means know none. It reports whether there are such lines.
func withoutRatio(t *table.Comparisons) (some bool) {
	m, err := sample.ParseMetric(sample.Errors)
	for i := range t.Lines {
		l := &t.Lines[i]
		if err != nil || l.Metric.Name != m.Label || l.Baseline != nil && l.Value != nil {
			continue
		}
		for _, side := range []struct {
			value **float64
			runs  []float64
		}{{&l.Baseline, l.BaselineRuns}, {&l.Value, l.ValueRuns}} {
			sum, n := 0.0, 0
			for _, v := range side.runs {
				if !math.IsNaN(v) {
					sum, n = sum+v, n+1
				}
			}
			if n > 0 {
				mean := sum / float64(n)
				*side.value, some = &mean, true
			}
		}
	}
	return some
}

// both checks that sides have runs to compare, and none in common.
func both(sides [2][]*sample.Run) error {
	for i, name := range []string{baselineName, candidateName} {
		if !slices.ContainsFunc(sides[i], usable) {
			return fmt.Errorf("no run of the %s measured anything: %s: %s", name, sides[i][0].Source, sides[i][0].Failed)
		}
	}
	there := map[string]*sample.Run{}
	for _, a := range sides[0] {
		there["source "+a.Source] = a
		if a.Hash != "" {
			there[a.Hash] = a
		}
	}
	for _, b := range sides[1] {
		if there["source "+b.Source] != nil {
			return fmt.Errorf("%s is on both sides", b.Source)
		}
		if a := there[b.Hash]; a != nil {
			return fmt.Errorf("%s and %s are the same run: it is on both sides", a.Source, b.Source)
		}
	}
	return nil
}

// countedOnce tells which runs were named more than once.
func countedOnce(runs []*sample.Run) []string {
	var out []string
	for _, r := range runs {
		if len(r.Also) > 0 {
			out = append(out, fmt.Sprintf("counted once: %s, which is the same run as %s", r.Source, strings.Join(r.Also, ", ")))
		}
	}
	return shortened(out, "counted once", "runs that were named again")
}

// failedStatements warns of runs with errors, whatever their source: they did less than the others. It has both sides, since a side without
// errors has no ratio in the table.
func failedStatements(names [2]string, sides [2][]*sample.Run) []string {
	var parts [2]string
	some := false
	for i, runs := range sides {
		var with, all int
		var failed, events float64
		for _, r := range runs {
			if !usable(r) {
				continue
			}
			all++
			failed, events = failed+float64(r.Errors), events+float64(r.Events)
			if r.Errors > 0 {
				with++
			}
		}
		parts[i] = names[i] + " none"
		if with > 0 {
			some = true
			parts[i] = fmt.Sprintf("%s %s per 1000 events (%d of %d runs)", names[i], figure(1000*failed/events), with, all)
		}
	}
	if !some {
		return nil
	}
	return []string{"failed statements (errors): " + strings.Join(parts[:], ", ")}
}

// maxNotes is how many notes of a kind there are.
const maxNotes = 5

// shortened puts the rest of too many notes into one.
func shortened(notes []string, kind, what string) []string {
	if len(notes) <= maxNotes {
		return notes
	}
	return append(notes[:maxNotes], fmt.Sprintf("%s: %d more %s", kind, len(notes)-maxNotes, what))
}

// differing words differences for the table.
func differing(list []sample.Difference) []string {
	var out []string
	for _, d := range list {
		out = append(out, "differs: "+d.String())
	}
	return out
}

// failures tells which runs were left out.
func failures(side string, runs []*sample.Run) []string {
	var out []string
	for _, r := range runs {
		if r.Failed != "" {
			out = append(out, fmt.Sprintf("left out of %s: %s: %s", side, r.Source, r.Failed))
		}
	}
	return shortened(out, "left out of "+side, "runs")
}

// arrange puts runs into cells: those that both sides have, or a single one where they have none in common (--force, --allow).
func (c *comparing) arrange(sides [2][]*sample.Run) {
	byCell := map[sample.Cell]*comparingCell{}
	for i, runs := range sides {
		for _, r := range runs {
			x := byCell[r.Cell()]
			if x == nil {
				x = &comparingCell{cell: r.Cell()}
				byCell[r.Cell()] = x
			}
			x.runs[i] = append(x.runs[i], r)
		}
	}
	var alone []string
	for _, cell := range sample.Cells(slices.Concat(sides[0], sides[1])) {
		x := byCell[cell]
		if slices.ContainsFunc(x.runs[0], usable) && slices.ContainsFunc(x.runs[1], usable) {
			c.cells = append(c.cells, *x)
		} else if len(x.all()) > 0 {
			alone = append(alone, cell.String())
		}
	}
	if len(c.cells) == 0 {
		one := comparingCell{runs: sides}
		for _, r := range sides[1] {
			one.cell = r.Cell()
		}
		c.cells = append(c.cells, one)
		return
	}
	if len(alone) > 0 {
		c.notes = append(c.notes, "on one side only, not compared: "+strings.Join(alone, "; "))
	}
}

// minRuns is the number of runs a side from which on an interval exists without pairs.
const minRuns = 5

// few reports whether some cell has too few runs for an interval.
func (c *comparing) few() bool {
	for _, x := range c.cells {
		for _, runs := range x.runs {
			if len(slices.DeleteFunc(slices.Clone(runs), func(r *sample.Run) bool { return !usable(r) })) < minRuns {
				return true
			}
		}
	}
	return false
}

// needed says how to get what is missing, with the very command.
func needed(sides [2][]*sample.Run) string {
	var lines [2]string
	for i, runs := range sides {
		lines[i] = "... run"
		for _, r := range runs {
			if usable(r) && r.Command != "" {
				lines[i] = r.Command
			}
		}
	}
	text := fmt.Sprintf("no interval exists with so few runs: it needs %d a side, and better interleaved ones. This does both: deltabench compare --rounds %d --baseline '%s' --candidate '%s'",
		minRuns, defaultRounds, lines[0], lines[1])
	if lines[0] == lines[1] {
		text += " (these runs had the same options: change what differs between the sides, or alternate by hand, recording with --tag=scenario=NAME)"
	}
	return text
}
