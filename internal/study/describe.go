package study

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"deltabench/internal/compare"
)

// shownRounds are the rounds whose order a description has.
const shownRounds = 5

// Describe writes what the study will do, for people.
func (p *Plan) Describe(w io.Writer) error {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("Study %s", p.Study)
	if p.Question != "" {
		say("%s", p.Question)
	}
	for i := range p.Targets {
		p.describeTarget(i, say)
	}
	say("")
	say("Workloads")
	for _, x := range p.Workloads {
		text := x.Name
		if x.Test != x.Name {
			text += " (" + x.Test + ")"
		}
		say("  %s%s", text, withOptions(x.Options))
	}
	say("Threads    %s; the summary is at %d", numbers(p.Threads), p.Headline)
	say("Data       %s", p.dataText())
	say("Runs       %s each%s", seconds(p.Time), p.warmupText())
	say("Rounds     %s", p.roundsText())
	for _, text := range p.Warnings() {
		say("           %s", text)
	}
	say("State      %s", StateText(p.State))
	for _, text := range unique(p.startTexts()) {
		say("           %s", text)
	}
	say("Judged by  %s; a change below %g %% does not matter", strings.ToUpper(p.Metric), p.Margin)
	if len(p.EqualLoad) > 0 {
		var shares []string
		for _, s := range p.EqualLoad {
			shares = append(shares, fmt.Sprintf("%.0f %%", 100*s))
		}
		say("Tails      p99 at %s of the baseline's peak, %d further runs", strings.Join(shares, ", "), p.EqualLoadRuns())
	}
	say("Seed       %d (--seed=%d repeats orders and random numbers)", p.Seed, p.Seed)
	say("")
	say("Order of scenarios")
	for round := 1; round <= min(p.Rounds, shownRounds); round++ {
		for _, t := range p.TargetOrder(round) {
			var names []string
			for _, s := range p.Steps(t, round) {
				names = append(names, p.Targets[t].Scenarios[s.Scenario].Name)
			}
			prefix := ""
			if len(p.Targets) > 1 {
				prefix = p.Targets[t].Name + ": "
			}
			say("  round %d  %s%s", round, prefix, strings.Join(names, ", "))
		}
	}
	if p.Rounds > shownRounds {
		say("  and so on, a new order in each of %d rounds", p.Rounds)
	}
	say("In each, %d cells: every workload at every number of threads.", len(p.Cells()))
	say("")
	say("Guards")
	for _, g := range p.Guards() {
		say("  - %s", g)
	}
	say("")
	say("%d runs, about %s (%d x %s, and starts of servers), without preparing the data.", p.Runs()+p.EqualLoadRuns(), Roughly(p.Expected()), p.Runs()+p.EqualLoadRuns(), seconds(p.Time+p.Warmup))
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Plan) describeTarget(i int, say func(string, ...any)) {
	t := p.Targets[i]
	say("")
	switch t.Kind {
	case Managed:
		say("Target %s: a server that the study starts (%s)%s", t.Name, t.Managed.Server, withOptions(t.Managed.Options))
	case External:
		say("Target %s: the server at %s", t.Name, t.External.DSN)
	case Embedded:
		say("Target %s: the embedded server, for seeing and tests, not a MySQL", t.Name)
	}
	for _, s := range t.Scenarios {
		mark := ""
		switch {
		case s.Baseline:
			mark = " (baseline)"
		case s.AA:
			mark = " (the baseline once more: how large is the noise)"
		}
		say("  %s%s", s.Name, mark)
		for _, part := range s.Parts() {
			say("    %s", part)
		}
	}
}

// Parts are what a scenario sets, a text for each.
func (s *Scenario) Parts() []string {
	var parts []string
	add := func(kind string, list []Option) {
		for _, o := range list {
			parts = append(parts, fmt.Sprintf("%s %s=%s", kind, o.Name, o.Value))
		}
	}
	add("server", s.Server)
	add("SET GLOBAL", s.Globals)
	for _, x := range s.SQL {
		parts = append(parts, "SQL "+strings.Join(strings.Fields(x), " "))
	}
	for _, x := range s.Session {
		parts = append(parts, "session "+strings.Join(strings.Fields(x), " "))
	}
	add("option", s.Options)
	if s.DSN != nil {
		parts = append(parts, "at "+s.DSN.String())
	}
	if s.Connect != "" {
		parts = append(parts, "connect over "+s.Connect)
	}
	if s.Binary != "" {
		parts = append(parts, "server "+s.Binary)
	}
	return parts
}

func withOptions(list []Option) string {
	var words []string
	for _, o := range list {
		words = append(words, o.Name+"="+o.Value)
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

func (p *Plan) dataText() string {
	switch {
	case len(p.Data.SQL) > 0:
		return fmt.Sprintf("%d SQL statements", len(p.Data.SQL))
	case p.Data.Workload == "":
		return "as it is on the servers; nothing is prepared"
	}
	tables := "tables"
	if p.Data.Tables == 1 {
		tables = "table"
	}
	return fmt.Sprintf("%d %s x %d rows, prepared by %s%s", p.Data.Tables, tables, p.Data.Rows, p.Data.Workload, withOptions(p.Data.Options))
}

func (p *Plan) warmupText() string {
	text := ""
	switch {
	case p.Warmup > 0:
		text = fmt.Sprintf(", after %s of warm-up", seconds(p.Warmup))
	case p.WarmupAuto:
		text = "; their warm-up is found in their seconds, and left out"
	}
	if p.After == CPUSaturated {
		text += "; measured from when the server has used its CPUs for 3 s"
	}
	return text
}

func (p *Plan) roundsText() string {
	switch p.Stop.Until {
	case compare.Precise:
		return fmt.Sprintf("at most %d, until every interval is at most ±%g %% wide (looked at from round 5 on)", p.Rounds, p.Stop.Percent)
	case compare.Settled:
		return fmt.Sprintf("at most %d, until every comparison has a verdict (looked at from round 5 on)", p.Rounds)
	}
	return fmt.Sprint(p.Rounds)
}

// StateText says what a state policy does.
func StateText(s State) string {
	switch s {
	case Preserve:
		return "preserve: nothing is done between scenarios"
	case Restart:
		return "restart: the server is restarted before each scenario, data as left"
	case Reset:
		return "reset: tables are dropped and prepared again before each scenario"
	}
	return "restore: the server is stopped, the data image copied back, the server started before each scenario"
}

// startTexts say what n will be.
func (p *Plan) startTexts() []string {
	var texts []string
	for i := range p.Targets {
		texts = append(texts, map[compare.Starts]string{
			compare.OwnStart:     "n is the number of rounds: each has a fresh start of every scenario",
			compare.SameStart:    "n is the number of rounds, on one server start: that says nothing about other starts",
			compare.OneStartEach: "n = 1 whatever the number of rounds: servers are started once each, so two starts are compared, not two configurations",
		}[p.Starts(i)])
	}
	return texts
}

func unique(texts []string) []string {
	var out []string
	for _, t := range texts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// Warnings are what people should know of a plan before they spend the time that it takes.
func (p *Plan) Warnings() []string {
	if p.Rounds >= compare.MinVerdict {
		return nil
	}
	rounds := "1 round"
	if p.Rounds > 1 {
		rounds = fmt.Sprintf("%d rounds", p.Rounds)
	}
	return []string{fmt.Sprintf("no verdict will come of %s: %d are needed, for an interval 3", rounds, compare.MinVerdict)}
}

// Guards are what is checked before and during the study, in words.
func (p *Plan) Guards() []string {
	guards := []string{fmt.Sprintf("before the first run: connections, prepared statements, open tables and files for %d threads against the limits of each server", slices.Max(p.Threads))}
	sets, external := false, false
	for _, t := range p.Targets {
		external = external || t.Kind == External
		for _, s := range t.Scenarios {
			sets = sets || len(s.Server)+len(s.Globals) > 0
		}
	}
	if sets {
		guards = append(guards, "every server option and global is read back; a scenario whose server has something else is refused")
	}
	if external {
		guards = append(guards, "a server that looks like production (other clients, other schemas, traffic) needs --yes", "globals and monitoring settings are written down before the first change, and put back after every scenario, also after a crash")
	}
	if p.Data.Workload != "" {
		check := "rows are counted before every scenario"
		if p.Checksum {
			check = "rows are counted and tables checksummed before every scenario"
		}
		guards = append(guards, check)
	}
	return append(guards, "variables that differ between scenarios without being in the plan are listed above the results", "runs in which the client was the limit are flagged")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.0f s", d.Seconds()) }

// Roughly is a duration in a precision that plans have.
func Roughly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
