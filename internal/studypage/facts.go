package studypage

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/findings"
)

const timeFormat = "2006-01-02 15:04 MST"

// oneLine is what was done, in a line.
func oneLine(f *findings.Facts) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch {
	case f.Rounds == f.RoundsPlanned || f.RoundsPlanned == 0:
		add("%s", count(f.Rounds, "round"))
	default:
		add("%d of %s", f.Rounds, count(f.RoundsPlanned, "round"))
	}
	add("%s", count(f.Done, "run"))
	if f.Failed > 0 {
		add("%d failed", f.Failed)
	}
	if f.Time != "" {
		add("%s each", f.Time)
	}
	from, to := f.From.Format(time.DateOnly), f.To.Format(time.DateOnly)
	switch {
	case f.To.IsZero():
	case f.From.IsZero() || from == to:
		add("%s", to)
	default:
		add("%s to %s", from, to)
	}
	return strings.Join(parts, " · ")
}

// facts are what was done, for those who want to know or to repeat it.
func facts(r *findings.Results) []fact {
	f := &r.Plan
	var list []fact
	add := func(name, text string) {
		if text != "" {
			list = append(list, fact{name, text})
		}
	}
	add("study", r.Name)
	runs := fmt.Sprintf("%s of %s", group(float64(f.Done), 0), count(f.Planned, "run"))
	if f.Failed > 0 {
		runs += fmt.Sprintf(", %s failed", group(float64(f.Failed), 0))
	}
	if !f.Finished {
		runs += "; not finished"
	}
	add("done", runs)
	add("complete rounds", fmt.Sprintf("%d of %d", f.Rounds, f.RoundsPlanned))
	if !f.From.IsZero() {
		add("from", f.From.Format(timeFormat))
	}
	if !f.To.IsZero() {
		add("to", f.To.Format(timeFormat))
	}
	add("time of a run", f.Time)
	add("warm-up", f.Warmup)
	add("server and data before a run", f.State)
	var threads []string
	for _, n := range f.Threads {
		threads = append(threads, group(float64(n), 0))
	}
	add("threads", strings.Join(threads, " "))
	if f.Headline > 0 {
		add("threads of the headline table", group(float64(f.Headline), 0))
	}
	add("margin", f.Margin)
	add("machine", f.Host)
	add("CPUs of the load generator", f.Client)
	add("CPUs of the server", f.Server)
	if f.Seed != 0 {
		add("seed", strconv.FormatUint(f.Seed, 10))
	}
	add("measured by", f.Tool)
	return list
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return group(float64(n), 0) + " " + noun
}
