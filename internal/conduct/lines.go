package conduct

import (
	"fmt"
	"slices"

	"deltabench/internal/study"
)

// CommandLine is what a study will execute, but for connection, seed and reports.
type CommandLine struct {
	Where string   // for people
	Args  []string // with the command, without the program
}

// CommandLines are the command lines of a plan's data and runs, each once: what is wrong in one can be told before any server is touched.
func CommandLines(p *study.Plan) []CommandLine {
	c := &conductor{plan: p}
	var lines []CommandLine
	add := func(where string, args ...string) {
		if !slices.ContainsFunc(lines, func(l CommandLine) bool { return slices.Equal(l.Args, args) }) {
			lines = append(lines, CommandLine{where, args})
		}
	}
	if p.Data.Workload != "" {
		add("data", c.prepareArgs()...)
	}
	for w := range p.Workloads {
		x := run{key: study.Key{Threads: c.maxThreads()}, workload: &p.Workloads[w]}
		for _, t := range p.Targets {
			for k := range t.Scenarios {
				s := &t.Scenarios[k]
				add(fmt.Sprintf("workload %s, scenario %s", x.workload.Name, s.Name), append(c.args(s, x), "run")...)
			}
		}
	}
	return lines
}

// prepareArgs is the command line that makes the data.
func (c *conductor) prepareArgs() []string {
	d := c.plan.Data
	args := append([]string{d.Workload}, c.dataOptions(d.Workload)...)
	if !c.bundledData() {
		args = append(args, asArgs(d.Options)...)
	}
	return append(args, fmt.Sprintf("--threads=%d", d.Threads), fmt.Sprintf("--rand-seed=%d", dataSeed), "prepare")
}
