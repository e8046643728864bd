package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"deltabench/internal/option"
	"deltabench/internal/store"
	"deltabench/internal/sysbench"
	"deltabench/internal/workload"
)

// page is a manual page in the making, in the macros of man(7).
type page struct{ bytes.Buffer }

// roff makes text safe: backslashes, dashes that must stay ASCII, and lines that start with a control character.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

func (p *page) section(title string) { fmt.Fprintf(p, ".SH %s\n", strings.ToUpper(roff(title))) }

func (p *page) sub(title string) { fmt.Fprintf(p, ".SS %s\n", roff(title)) }

// text writes a paragraph.
func (p *page) text(format string, args ...any) {
	fmt.Fprintf(p, ".PP\n%s\n", roff(fmt.Sprintf(format, args...)))
}

// item writes a term and what it means.
func (p *page) item(term, text string) { fmt.Fprintf(p, ".TP\n.B %s\n%s\n", roff(term), roff(text)) }

// options writes a list of options.
func (p *page) options(specs []option.Spec) {
	for _, s := range specs {
		text := s.Desc
		if !s.NoDefault && s.Default != "" {
			text += " [" + s.Default + "]"
		}
		p.item("--"+s.Name+s.Type.Suffix(), text)
	}
}

// command writes a command and those below it.
func (p *page) command(c *cobra.Command) {
	p.item(c.UseLine(), c.Short+".")
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		_, usage := pflag.UnquoteUsage(f)
		p.item("--"+f.Name, usage)
	})
	for _, sub := range visible(c.Commands()) {
		p.command(sub)
	}
}

// manPage returns the manual page of our face, generated from the tables of commands, options and tests.
func manPage(cmds []*cobra.Command, groups []sysbench.OptionGroup, tests []workload.Test) []byte {
	p := &page{}
	fmt.Fprintf(p, ".TH DELTABENCH 1 \"\" \"deltabench %s\" \"User Commands\"\n", roff(sysbench.Version))
	p.section("Name")
	p.WriteString("deltabench \\- measure what a change does to a MySQL server's performance\n")
	p.section("Synopsis")
	p.WriteString(".B deltabench\n[options]... TEST COMMAND\n.br\n.B deltabench\n{")
	for i, c := range visible(cmds) {
		if i > 0 {
			p.WriteString("|")
		}
		p.WriteString(roff(c.Name()))
	}
	p.WriteString("} [arguments]\n")
	p.section("Description")
	p.text("deltabench is a drop-in replacement for sysbench 1.0.20 on MySQL and MariaDB. Its command line is sysbench's: options are written --name=value, - and _ in names are the same, the last occurrence wins. Called as sysbench (a link of that name) it prints what sysbench prints.")
	p.section("Commands")
	p.text("deltabench's own commands, as the first argument:")
	for _, c := range visible(cmds) {
		p.command(c)
	}
	p.section("Tests")
	for _, t := range tests {
		p.item(t.Name(), sysbench.TestSummary(t)+"; commands: "+strings.Join(sysbench.TestCommands(t), ", ")+".")
	}
	p.section("Options")
	for _, g := range groups {
		p.sub(g.Title)
		p.options(g.Specs)
	}
	p.section("Options of tests")
	for _, s := range testOptions(tests) {
		p.sub(s.title)
		p.options(s.specs)
	}
	p.section("Exit status")
	for _, c := range sysbench.ExitCodes() {
		p.item(fmt.Sprint(c.Code), c.When)
	}
	p.section("Environment")
	p.item("MYSQL_PWD", "The password, when no option gives one.")
	p.item(store.PathVariable, "The file of the store that runs are recorded in; none: they are not.")
	p.item("XDG_DATA_HOME", "Without DELTABENCH_STORE the store is deltabench/runs.db there; else below ~/.local/share.")
	p.section("See also")
	p.text("sysbench(1), mysql(1), mariadb(1)")
	return p.Bytes()
}

// visible are the commands that help lists.
func visible(cmds []*cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range cmds {
		if !c.Hidden {
			list = append(list, c)
		}
	}
	return list
}

// optionsOfTests are options with the tests that have them.
type optionsOfTests struct {
	title string
	specs []option.Spec
}

// testOptions groups the options of tests, so that options which many tests share are described once.
func testOptions(tests []workload.Test) []optionsOfTests {
	owners := map[string][]string{}
	specs := map[string]option.Spec{}
	var names []string
	for _, t := range tests {
		for _, s := range sysbench.TestOptions(t) {
			if owners[s.Name] == nil {
				names = append(names, s.Name)
				specs[s.Name] = s
			}
			owners[s.Name] = append(owners[s.Name], t.Name())
		}
	}
	var groups []optionsOfTests
	for _, name := range names {
		title := strings.Join(owners[name], ", ")
		i := 0
		for i < len(groups) && groups[i].title != title {
			i++
		}
		if i == len(groups) {
			groups = append(groups, optionsOfTests{title: title})
		}
		groups[i].specs = append(groups[i].specs, specs[name])
	}
	return groups
}
