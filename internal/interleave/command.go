package interleave

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/shlex"
)

// Command is a command line of a run.
type Command struct {
	line string
	face string   // deltabench or sysbench: the name that the program is called by
	args []string // without the name, and without the password
	// password is that of --mysql-password; children get it in a file, where no process list shows it.
	password    string
	hasPassword bool
}

// typographicDashes are what word processors make of hyphens.
const typographicDashes = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"

// ours are options that the rounds set themselves.
var ours = map[string]string{
	"report": "every run's report is read here", "report-file": "every run's report is read here",
	"store": "give it to compare", "no-record": "give it to compare", "tag": "give it to compare", "note": "recorded runs are tagged with round and scenario",
}

// Parse reads a command line as a shell does, quotes and backslashes included, without expanding anything. The name
// deltabench or sysbench in front may be missing; whichever it is, this program runs it.
func Parse(line string) (*Command, error) {
	words, err := shlex.Split(line)
	switch {
	case err != nil:
		return nil, fmt.Errorf("a quote in it is not closed: %s", shown(line))
	case len(words) == 0:
		return nil, errors.New("it is empty; a command line of a run is needed, as in 'oltp_read_only --threads=8 --time=10 run'")
	}
	c := &Command{line: line, face: "deltabench"}
	switch name := strings.TrimSuffix(path.Base(words[0]), ".exe"); {
	case name == "deltabench" || name == "sysbench":
		c.face, words = name, words[1:]
	case !strings.HasPrefix(words[0], "-") && isVariable(words[0]):
		name, _, _ := strings.Cut(words[0], "=")
		return nil, fmt.Errorf("it sets the variable %s: set it for compare, children inherit it", name)
	}
	var plain []string
	for _, word := range words {
		if err := c.add(word); err != nil {
			return nil, err
		}
		if !strings.HasPrefix(word, "-") {
			plain = append(plain, word)
		}
	}
	switch {
	case len(plain) == 0:
		return nil, fmt.Errorf("it names no test: %s; as in 'oltp_read_only --threads=8 --time=10 run'", c)
	case plain[len(plain)-1] == "run":
	case slices.Contains([]string{"prepare", "cleanup", "prewarm", "warmup", "help"}, plain[len(plain)-1]):
		return nil, fmt.Errorf("its command is %s: only runs are compared; do that before, and end this with run", plain[len(plain)-1])
	default:
		return nil, fmt.Errorf("it is no run: it ends with '%s'; write '%s run'", plain[len(plain)-1], c)
	}
	return c, nil
}

// isVariable reports whether a word is an assignment as before a command in a shell.
func isVariable(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
}

// add takes a word.
func (c *Command) add(word string) error {
	switch word {
	case "|", "||", "&", "&&", ";", ">", ">>", "<", "2>&1":
		return fmt.Errorf("it has a '%s', but no shell reads it: give one run only", word)
	}
	if rest := strings.TrimLeft(word, "-"+typographicDashes); strings.ContainsAny(word[:len(word)-len(rest)], typographicDashes) {
		return fmt.Errorf("%s starts with a typographic dash; write --%s", shown(word), shown(rest))
	}
	name, value, hasValue := strings.Cut(word, "=")
	key := strings.ReplaceAll(strings.TrimLeft(name, "-"), "_", "-")
	if strings.HasPrefix(word, "--") {
		if why, ok := ours[key]; ok {
			return fmt.Errorf("it has --%s: %s", key, why)
		}
		if key == "mysql-password" && hasValue && value != "" {
			c.password, c.hasPassword = value, true
			return nil
		}
	}
	c.args = append(c.args, word)
	return nil
}

// Words are the command line with the program's name in front, and without the password.
func (c *Command) Words() []string { return append([]string{c.face}, c.args...) }

// has reports whether an option is given.
func (c *Command) has(key string) bool {
	return slices.ContainsFunc(c.args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return strings.HasPrefix(name, "--") && strings.ReplaceAll(name[2:], "_", "-") == key
	})
}

// String is the command line without its password.
func (c *Command) String() string {
	words := []string{c.face}
	for _, arg := range c.args {
		words = append(words, quote(arg))
	}
	if c.hasPassword {
		words = append(words, "--mysql-password=***")
	}
	return shown(strings.Join(words, " "))
}

// quote makes a word readable for a shell again.
func quote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$&|;<>()*?`#~[]{}!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// shown hides what looks like a password in a text, and keeps it on one line.
func shown(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		name, _, hasValue := strings.Cut(word, "=")
		if hasValue && strings.Contains(strings.ToLower(name), "pas") && !strings.HasSuffix(strings.ToLower(name), "file") {
			words[i] = name + "=***"
		}
	}
	return strings.Join(words, " ")
}

// Differences are the arguments that only one of two command lines has: what they compare.
func Differences(a, b *Command) (onlyA, onlyB []string) {
	only := func(x, y *Command) []string {
		var out []string
		if x.face != y.face {
			out = append(out, "called "+x.face)
		}
		for _, arg := range x.args {
			if !slices.Contains(y.args, arg) {
				out = append(out, shown(quote(arg)))
			}
		}
		if x.hasPassword && (!y.hasPassword || x.password != y.password) {
			out = append(out, "--mysql-password=***")
		}
		return out
	}
	return only(a, b), only(b, a)
}
