package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"deltabench/internal/option"
	"deltabench/internal/sysbench"
	"deltabench/internal/workload"
)

// isOption reports whether a word of the command line is an option, or the start of one.
func isOption(word string) bool { return strings.HasPrefix(word, "-") }

// words are the arguments that are not options: test and command.
func words(args []string) []string {
	var list []string
	for _, a := range args {
		if !isOption(a) {
			list = append(list, a)
		}
	}
	return list
}

// completeTest completes sysbench's grammar: names of tests and their commands, options and values.
func completeTest(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var test workload.Test
	named := words(args)
	if len(named) > 0 {
		test = sysbench.TestNamed(named[0])
	}
	switch {
	case isOption(word):
		return completeOption(test, word)
	case len(named) == 0:
		var list []cobra.Completion
		for _, t := range sysbench.Tests() {
			if strings.HasPrefix(t.Name(), word) {
				list = append(list, cobra.CompletionWithDesc(t.Name(), sysbench.TestSummary(t)))
			}
		}
		return list, cobra.ShellCompDirectiveDefault // scripts are files
	case len(named) == 1 && test != nil:
		var list []cobra.Completion
		for _, c := range sysbench.TestCommands(test) {
			if strings.HasPrefix(c, word) {
				list = append(list, c)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeOption completes the name of an option, or its value. test is nil when none is typed yet: the general
// options are offered then.
func completeOption(test workload.Test, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	name, value, hasValue := strings.Cut(word, "=")
	spell := func(name string) string { return strings.ReplaceAll(name, "_", "-") }
	if strings.Contains(name, "_") {
		spell = option.Key
	}
	key := option.Key(strings.TrimLeft(name, "-"))
	var list []cobra.Completion
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	for _, spec := range optionsOf(test) {
		typed := "--" + spell(spec.Name)
		switch {
		case hasValue && option.Key(spec.Name) == key:
			if isFile(spec) {
				return nil, cobra.ShellCompDirectiveDefault
			}
			for _, v := range valuesOf(spec) {
				if strings.HasPrefix(v, value) {
					list = append(list, v) // the scripts know that it stands behind the =
				}
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		case hasValue || !strings.HasPrefix(option.Key(spec.Name), key):
		case spec.Type == option.Bool:
			list = append(list, cobra.CompletionWithDesc(typed, spec.Desc))
			directive = cobra.ShellCompDirectiveNoFileComp
		default:
			list = append(list, cobra.CompletionWithDesc(typed+"=", spec.Desc))
		}
	}
	return list, directive
}

// optionsOf are the options that a test's run has.
func optionsOf(test workload.Test) []option.Spec {
	var specs []option.Spec
	for _, g := range sysbench.OptionGroups() {
		for _, spec := range g.Specs {
			if spec.Deprecated == "" {
				specs = append(specs, spec)
			}
		}
	}
	if test != nil {
		specs = append(specs, sysbench.TestOptions(test)...)
	}
	return specs
}

// choices are the values in a description, such as {zlib,zstd}.
var choices = regexp.MustCompile(`\{([a-z0-9._-]+(?:, ?[a-z0-9._-]+)*)\}`)

// valuesOf are the values that an option can have, where they are few.
func valuesOf(spec option.Spec) []string {
	if spec.Type == option.Bool {
		return []string{"on", "off"}
	}
	if m := choices.FindStringSubmatch(spec.Desc); m != nil {
		return strings.Split(strings.ReplaceAll(m[1], " ", ""), ",")
	}
	return nil
}

// isFile reports whether the value of an option is the name of a file.
func isFile(spec option.Spec) bool {
	return spec.Type == option.File || spec.Type == option.String && strings.Contains(spec.Desc, " file")
}
