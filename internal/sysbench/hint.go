package sysbench

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"deltabench/internal/option"
	"deltabench/internal/workload"
	"deltabench/internal/workload/oltp04"
)

// Our face adds to a refusal how to put things right. sysbench's own words stay, so that scripts which look
// for them work under both names; under the name sysbench nothing is added.

// typographicDashes are what word processors make of hyphens.
const typographicDashes = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"

// typographic refuses options whose dashes a word processor has changed.
func typographic(arg string) error {
	rest := strings.TrimLeft(arg, "-"+typographicDashes)
	dashes := arg[:len(arg)-len(rest)]
	name, _, _ := strings.Cut(arg, "=")
	switch {
	case strings.ContainsAny(dashes, typographicDashes):
		return usagef("%s starts with a typographic dash; write --%s", masked(arg), masked(asHyphens(rest)))
	case dashes != "" && strings.ContainsAny(name, typographicDashes):
		return usagef("%s has a typographic dash in its name; write %s", masked(arg), masked(asHyphens(arg)))
	}
	return nil
}

// asHyphens turns the dashes in the name of an option into hyphens.
func asHyphens(arg string) string {
	name, value, hasValue := strings.Cut(arg, "=")
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(typographicDashes, r) {
			return '-'
		}
		return r
	}, name)
	if hasValue {
		name += "=" + value
	}
	return name
}

// masked hides the value of an option that looks like a password.
func masked(arg string) string {
	name, _, hasValue := strings.Cut(arg, "=")
	if hasValue && strings.Contains(strings.ToLower(name), "pas") {
		return name + "=***"
	}
	return arg
}

// shortOptions are what users of the mysql client and of other tools try.
var shortOptions = map[string]string{
	"h": "help, or --mysql-host=HOST", "P": "mysql-port=PORT", "u": "mysql-user=USER", "p": "mysql-password-file=FILE",
	"S": "mysql-socket=PATH", "D": "mysql-db=NAME", "t": "threads=N", "T": "time=SECONDS", "c": "threads=N",
	"V": "version", "v": "verbosity=N", "?": "help",
}

// singleDash refuses options with one dash.
func (s *session) singleDash(arg string) error {
	if len(arg) < 2 || arg[0] != '-' || arg[1] == '-' {
		return nil
	}
	name, value, hasValue := strings.Cut(arg[1:], "=")
	if hasValue {
		value = "=" + value
	}
	if known := s.nearest(name, s.allOptions()); known != "" && len(name) > 1 {
		return usagef("%s: options start with two dashes; write %s", masked(arg), masked("--"+known+value))
	}
	if long, ok := shortOptions[arg[1:2]]; ok {
		return usagef("-%s: options start with two dashes; write --%s", arg[1:2], long)
	}
	return usagef("%s: options start with two dashes and have long names; see '%s --help'", masked(arg), s.env.Face.program())
}

// withoutValue refuses an option that lacks its value: `--threads 4` in place of `--threads=4`. next is the argument
// behind it, "" at the end. Texts may be empty.
func (s *session) withoutValue(arg, next string) error {
	name, _, attached := strings.Cut(arg, "=")
	spec, ok := s.find(name[min(2, len(name)):])
	if name, value, _ := strings.Cut(arg, "="); masked(arg) != arg && strings.TrimSpace(value) == "" && next != "" && !strings.HasPrefix(next, "--") && !s.isWord(next) {
		return usagef("%s=: a blank separates the option from its value; write %s=***", name, name)
	}
	password := option.Key(spec.Name) == "mysql_password"
	if ok && attached && name+"=" == arg {
		switch spec.Type { // sysbench takes it for 0: no limit, no threads
		case option.Int, option.Double, option.Size:
			return usagef("%s has no value; write %s=%s", arg, name, valueName(spec.Type))
		}
	}
	if strings.Contains(arg, "=") || !ok || spec.Type == option.Bool || spec.Bare != "" && !password {
		return nil
	}
	if next != "" && !strings.HasPrefix(next, "--") && !s.isWord(next) {
		return usagef("%s: the value of an option is attached with '='; write %s", arg, masked(arg+"="+strings.TrimPrefix(next, "=")))
	}
	switch spec.Type {
	case option.Int, option.Double, option.Size, option.File:
		return usagef("%s has no value; write %s=%s", arg, arg, valueName(spec.Type))
	}
	return nil
}

func valueName(t option.Type) string {
	switch t {
	case option.Size:
		return "SIZE"
	case option.File:
		return "FILENAME"
	}
	return "N"
}

// isWord reports whether a word of the command line makes sense as a test or a command.
func (s *session) isWord(word string) bool {
	switch word {
	case "run", "help", "prepare", "cleanup":
		return true
	}
	return s.resolver().resolve(word).kind != notFound || slices.ContainsFunc(s.env.Tests, func(t workload.Test) bool { return hasCommand(t, word) })
}

// find looks an option up everywhere: among sysbench's, ours and those of all tests.
func (s *session) find(name string) (option.Spec, bool) {
	for _, set := range []*option.Set{s.set, s.ours} {
		if spec, ok := set.Lookup(name); ok {
			return spec, true
		}
	}
	for _, t := range append(slices.Clip(s.env.Tests), legacyTest) {
		for _, spec := range t.Options() {
			if option.Key(spec.Name) == option.Key(name) {
				return spec, true
			}
		}
	}
	return option.Spec{}, false
}

// options are the names of the options that a test has, nil: the general ones only.
func (s *session) options(t workload.Test) []string {
	var names []string
	for _, specs := range [][]option.Spec{s.set.Specs(), s.ours.Specs()} {
		for _, spec := range specs {
			names = append(names, dashed(spec.Name))
		}
	}
	if t != nil {
		for _, spec := range t.Options() {
			names = append(names, dashed(spec.Name))
		}
	}
	return names
}

// allOptions are the names of all options of all tests.
func (s *session) allOptions() []string {
	names := s.options(nil)
	for _, t := range s.env.Tests {
		names = append(names, s.options(t)...)
	}
	return names
}

// dashed is a name as it is mostly typed.
func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }

// unknownOption refuses what neither a test nor anybody else knows.
func (s *session) unknownOption(arg string, t workload.Test) error {
	form := "invalid option: %s"
	if t == legacyTest {
		form = "Unknown option: %s."
	}
	refused := usagef(form, arg)
	if s.env.Face == FaceSysbench {
		return refused
	}
	refused.text = fmt.Sprintf(form, masked(arg))
	name, _, _ := strings.Cut(arg[2:], "=")
	if name == "" {
		return refused.hinted("an option has a name, as in --threads=4")
	}
	for _, set := range []*option.Set{s.set, s.ours} {
		if spec, ok := set.Lookup(name); ok && spec.Type == option.Bool {
			return refused.hinted("write --%s=on or --%s=off", dashed(name), dashed(name))
		}
	}
	if known := s.nearest(name, s.options(t)); known != "" {
		return refused.hinted("did you mean --%s?", known)
	}
	for _, other := range s.env.Tests {
		for _, spec := range other.Options() {
			if option.Key(spec.Name) == option.Key(name) {
				return refused.hinted("%s has this option, but %s does not", other.Name(), t.Name())
			}
		}
	}
	return refused.hinted("see '%s --help' and '%s %s help'", s.env.Face.program(), s.env.Face.program(), t.Name())
}

// unknownTest refuses a test name.
func (s *session) unknownTest(name string) error {
	refused := fatalf("Cannot find benchmark '%s': no such built-in test, file or module", s.shown(name))
	prog := s.env.Face.program()
	var names []string
	for _, t := range s.env.Tests {
		names = append(names, t.Name())
	}
	bundled := strings.TrimSuffix(name, ".lua")
	if i := strings.LastIndexByte(bundled, '/'); i >= 0 {
		bundled = bundled[i+1:]
	}
	info, err := os.Stat(name)
	switch {
	case name == oltp04.Name:
		return refused.hinted("sysbench 0.4's test is called by --test=oltp; its successor is oltp_read_write")
	case name == "":
		return refused.hinted("the name is empty; see '%s --help' for the tests", prog)
	case slices.Contains(names, bundled):
		return refused.hinted("the bundled test is called %s", bundled)
	case err == nil && info.IsDir():
		return refused.hinted("%s is a directory", s.shown(name))
	case err == nil:
		return refused.hinted("%s cannot be read", s.shown(name))
	case s.isWord(name):
		return refused.hinted("'%s' is a command; the test comes first, as in %s oltp_read_write %s", name, prog, name)
	}
	if known := s.nearest(name, names); known != "" {
		return refused.hinted("did you mean %s?", known)
	}
	if known := s.nearest(name, s.env.Commands); known != "" {
		return refused.hinted("did you mean the command %s, as in '%s %s'?", known, prog, known)
	}
	return refused.hinted("see '%s --help' for the tests", prog)
}

// shown is a word of the command line for messages: on our face one line, whatever is in it.
func (s *session) shown(word string) string {
	if s.env.Face == FaceSysbench || strings.IndexFunc(word, unicode.IsControl) < 0 {
		return word
	}
	quoted := strconv.Quote(word)
	return quoted[1 : len(quoted)-1]
}

// commandsOf lists the commands of a test.
func commandsOf(t workload.Test) []string {
	var names []string
	for _, c := range t.Commands() {
		names = append(names, c.Name)
	}
	return append(names, "run", "help")
}

// commandHint says which commands there are.
func (s *session) commandHint(t workload.Test, name string) string {
	if known := s.nearest(name, commandsOf(t)); known != "" {
		return fmt.Sprintf("did you mean %s?", known)
	}
	return "its commands are " + strings.Join(commandsOf(t), ", ")
}

// hint is what our face adds to the message of an error.
func (s *session) hint(err error) string {
	var v *option.ValueError
	if !errors.As(err, &v) {
		return asRefusal(err).hint
	}
	switch spec, _ := s.find(v.Key); {
	case v.Key == "percentile":
		return percentileHint
	case spec.Type != option.Int:
		return ""
	case strings.Trim(strings.TrimLeft(v.Value, "+-"), "0123456789") == "":
		return "the number is too large; at most 2147483647"
	}
	return fmt.Sprintf("a whole number without unit or fraction, as in --%s=8", dashed(v.Key))
}

// nearest returns the name that name was probably meant to be, or "".
func (s *session) nearest(name string, names []string) string {
	name = dashed(strings.ToLower(name))
	for _, prefix := range []string{"", "mysql-", "oltp-"} { // --host for --mysql-host, and sysbench 0.4
		if slices.Contains(names, prefix+name) {
			return prefix + name
		}
	}
	if short, ok := strings.CutPrefix(name, "oltp-"); ok && slices.Contains(names, short) { // sysbench 0.4
		return short
	}
	best, distance := "", max(1, len(name)/4)+1
	for _, n := range names {
		if d := editDistance(name, n); d < distance {
			best, distance = n, d
		}
	}
	return best
}

// editDistance counts the letters to insert, delete, replace or swap with their neighbour.
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
