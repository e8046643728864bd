package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"deltabench/internal/reference"
	"deltabench/internal/table"
)

// newReference returns the command that prints published figures.
func newReference(env Env) *cobra.Command {
	var o referenceFlags
	cmd := &cobra.Command{
		Use:   "reference [NAME | list]",
		Short: "Print published figures about MySQL, with percentages computed anew",
		Long: `Print one of five published sets of figures that were measured with sysbench, in the layout of its publication. Changes are
computed from the values shown; where the publication printed another change beside them (by more than 0.05 points), both
are there, the published one behind ≠. Figures of one run have no interval and no verdict.

Without a name, or with 'list', it prints what there is. Sets with two tables print both; --layout chooses one. CSV and JSON
have all lines and no layout.`,
		Example: `  deltabench reference performance-schema
  deltabench reference performance-schema --layout=scenarios --threads=64
  deltabench reference confidential --format=markdown`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("'%s': one name of a published set is enough", args[1])
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			list := []cobra.Completion{cobra.CompletionWithDesc("list", "names and questions")}
			for _, s := range reference.Sets() {
				list = append(list, cobra.CompletionWithDesc(s.Name, s.Question))
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := table.ParseFormat(o.format)
			if err != nil {
				return fmt.Errorf("--format: %w", err)
			}
			if o.threads < 0 {
				return fmt.Errorf("--threads=%d: a number of threads is needed, or 0 for all", o.threads)
			}
			if len(args) == 0 || args[0] == "list" {
				return listReferences(env, o, f)
			}
			return printReference(env, args[0], o, f)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "terminal", "`form` of the tables: "+strings.Join(table.FormatNames(), ", "))
	cmd.Flags().StringVar(&o.layout, "layout", "", "`arrangement` of terminal and markdown tables: "+strings.Join(table.LayoutNames(), ", ")+"; not every set has each")
	cmd.Flags().IntVar(&o.threads, "threads", 0, "only the figures of this `number` of threads")
	return cmd
}

// referenceFlags are the options of the command.
type referenceFlags struct {
	format  string
	layout  string
	threads int
}

// listReferences prints names and questions: on a terminal, or for programs.
func listReferences(env Env, o referenceFlags, f table.Format) error {
	switch {
	case o.layout != "" || o.threads != 0:
		return errors.New("--layout and --threads belong to a set; name one of 'deltabench reference list'")
	case f == table.JSON:
		type entry struct {
			Name     string   `json:"name"`
			Question string   `json:"question"`
			Layouts  []string `json:"layouts"`
		}
		var list []entry
		for _, s := range reference.Sets() {
			list = append(list, entry{s.Name, s.Question, layoutNames(s)})
		}
		text, err := json.MarshalIndent(list, "", " ")
		if err != nil {
			return err
		}
		_, err = env.Stdout.Write(append(text, '\n'))
		return err
	case f != table.Terminal:
		return fmt.Errorf("--format=%s: the list is there as terminal and json", o.format)
	}
	for _, s := range reference.Sets() {
		fmt.Fprintf(env.Stdout, "%-20s %s\n", s.Name, s.Question)
	}
	return nil // failures of writing are kept
}

// printReference prints a set. Without --layout it is all that the publication had.
func printReference(env Env, name string, o referenceFlags, f table.Format) error {
	set, err := reference.Find(name)
	if err != nil {
		return err
	}
	layouts := set.Layouts[:1]
	if o.layout != "" {
		l, err := table.ParseLayout(o.layout)
		if err != nil {
			return fmt.Errorf("--layout: %w", err)
		}
		if !slices.Contains(set.Layouts, l) {
			return fmt.Errorf("--layout=%s: %s has %s", o.layout, name, strings.Join(layoutNames(set), ", "))
		}
		layouts = []table.Layout{l}
	}
	c, err := set.Comparisons(o.threads)
	if err != nil {
		return err
	}
	style := table.StyleOf(env.Stdout, env.Getenv)
	var out bytes.Buffer // nothing is printed before all of it is known
	people := f == table.Terminal || f == table.Markdown
	if o.threads == 0 && people && slices.Contains(set.Layouts, table.ScenarioRows) && (o.layout == "" || layouts[0] == table.ScenarioRows) {
		headline, err := set.Comparisons(reference.HeadlineThreads)
		if err != nil {
			return err
		}
		if o.layout != "" {
			c = headline
		} else {
			if err := headline.Write(&out, f, table.ScenarioRows, style); err != nil {
				return err
			}
			out.WriteByte('\n')
			c.Title, c.Source, c.Scenarios = "At all numbers of threads", "", names(c.Scenarios) // said above
		}
	}
	if err := c.Write(&out, f, layouts[0], style); err != nil {
		return err
	}
	_, err = io.Copy(env.Stdout, &out)
	return err
}

// names leaves out the descriptions.
func names(list []table.Scenario) []table.Scenario {
	list = slices.Clone(list)
	for i := range list {
		list[i].Description = ""
	}
	return list
}

func layoutNames(s reference.Set) []string {
	var names []string
	for _, l := range s.Layouts {
		names = append(names, l.String())
	}
	return names
}
