package script

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"deltabench/internal/option"
	lua "deltabench/internal/third_party/gopher-lua"
)

// Findings are what a script uses and offers, as far as its text and its loading show.
type Findings struct {
	Interface string          `json:"interface"` // "1.0" or "0.5"
	Functions []string        `json:"functions"` // of the life cycle that it defines
	Commands  []string        `json:"commands"`  // that it can execute
	Options   []option.Spec   `json:"-"`
	Strict    bool            `json:"strict"`   // it declares its options: others are refused
	Uses      []string        `json:"uses"`     // names of the interface in its text
	Missing   []string        `json:"missing"`  // of these, what there is not, with file and line
	Modules   []string        `json:"modules"`  // files that it loads besides its own
	Blocking  []string        `json:"blocking"` // calls that wait for something else than the database
	Declared  []OptionFinding `json:"options"`
}

// OptionFinding is an option for programs.
type OptionFinding struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default"`
	Text    string `json:"description"`
}

// lifeCycle are the functions that sysbench calls.
var lifeCycle = []string{"init", "prepare", "cleanup", "help", "thread_init", "thread_run", "event", "thread_done", "done"}

var (
	apiNames    = regexp.MustCompile(`\b(?:sysbench(?:\s*\.\s*\w+)+|ffi\s*\.\s*(?:C\s*\.\s*)?\w+|bit\s*\.\s*\w+|jit\s*\.\s*\w+|(?:db|sb)_\w+)`)
	methodNames = regexp.MustCompile(`:\s*(query|query_row|prepare|bulk_insert_init|bulk_insert_next|bulk_insert_done|disconnect|reconnect|more_results|next_result|connect|fetch_row|free|bind_create|bind_param|execute|set_rand_str)\s*\(`)
	newNames    = regexp.MustCompile(`\bsysbench\s*\.\s*(?:sql|rand|cmdline)\b`)
)

// use is a name of the interface in a text.
type use struct{ name, place string }

// uses finds names of the interface in a text.
func uses(text []byte, name string) []use {
	text = comments.ReplaceAllFunc(text, func(c []byte) []byte { // lines stay where they are
		return bytes.Repeat([]byte("\n"), bytes.Count(c, []byte("\n")))
	})
	var list []use
	add := func(at int, what string) {
		list = append(list, use{blanks.ReplaceAllString(what, ""), name + ":" + lineOf(text, at)})
	}
	for _, m := range apiNames.FindAllIndex(text, -1) {
		add(m[0], string(text[m[0]:m[1]]))
	}
	for _, m := range methodNames.FindAllSubmatchIndex(text, -1) {
		add(m[0], ":"+string(text[m[2]:m[3]]))
	}
	return list
}

func lineOf(text []byte, at int) string {
	return lua.LNumber(1 + bytes.Count(text[:at], []byte("\n"))).String()
}

// Check describes a script that has been loaded.
func (c *Script) Check() Findings {
	f := Findings{Interface: "1.0", Options: c.specs, Strict: c.strict, Blocking: c.code.blocking, Modules: c.code.modules()}
	f.Modules = slices.DeleteFunc(f.Modules, func(m string) bool { return m == c.source.Path })
	for _, name := range lifeCycle {
		fn, ok := c.main.L.GetGlobal(name).(*lua.LFunction)
		if ok && fn != c.main.predef {
			f.Functions = append(f.Functions, name)
		}
	}
	for _, cmd := range c.Commands() {
		name := cmd.Name
		if cmd.Parallel {
			name += " (parallel)"
		}
		f.Commands = append(f.Commands, name)
	}
	if slices.Contains(f.Functions, "event") {
		f.Commands = append(f.Commands, "run")
	}
	slices.Sort(f.Commands)
	if len(f.Commands) == 0 {
		f.Missing = append(f.Missing, c.source.Path+": neither an event() nor a command: there is nothing to run")
	}
	legacy, modern := false, false
	for _, u := range c.code.uses {
		if !slices.Contains(f.Uses, u.name) {
			f.Uses = append(f.Uses, u.name)
		}
		legacy = legacy || strings.HasPrefix(u.name, "db_") || strings.HasPrefix(u.name, "sb_")
		modern = modern || newNames.MatchString(u.name)
		if why := c.missing(u.name); why != "" {
			if line := u.place + ": " + why; !slices.Contains(f.Missing, line) {
				f.Missing = append(f.Missing, line)
			}
		}
	}
	if legacy && !modern {
		f.Interface = "0.5"
	}
	slices.Sort(f.Uses)
	for _, s := range c.specs {
		f.Declared = append(f.Declared, OptionFinding{Name: s.Name, Type: strings.Trim(s.Type.Suffix(), "=[]"), Default: s.Default, Text: s.Desc})
	}
	return f
}

// missing says why a name of the interface means nothing here; empty when it does.
func (c *Script) missing(name string) string {
	if strings.HasPrefix(name, ":") {
		return ""
	}
	if fn, ok := strings.CutPrefix(name, "ffi.C."); ok {
		if c.main.offersC(fn) {
			return ""
		}
		return "ffi.C." + fn + " is not available"
	}
	parts := strings.Split(name, ".")
	v := c.main.L.GetGlobal(parts[0])
	if len(parts) == 1 {
		if v == lua.LNil && slices.Contains(legacyNames, name) {
			return name + " is not available"
		}
		return ""
	}
	for i, part := range parts[1:] {
		t, ok := v.(*lua.LTable)
		if !ok { // fields of values are nobody's business
			return ""
		}
		v = t.RawGetString(part)
		if v == lua.LNil {
			if settable(parts, i+1) {
				return ""
			}
			return name + " is not available"
		}
	}
	return ""
}

// legacyNames are the functions of 0.5.
var legacyNames = []string{
	"db_connect", "db_disconnect", "db_query", "db_bulk_insert_init", "db_bulk_insert_next", "db_bulk_insert_done", "db_prepare",
	"db_bind_param", "db_bind_result", "db_execute", "db_store_results", "db_free_results", "db_close",
	"sb_rand", "sb_rand_uniform", "sb_rand_gaussian", "sb_rand_special", "sb_rand_str", "sb_rnd", "sb_rand_uniq",
}

// settable reports whether a field of sysbench is one that scripts set, or that exists later.
func settable(parts []string, i int) bool {
	if parts[0] != "sysbench" {
		return false
	}
	switch parts[1] {
	case "opt", "hooks":
		return true
	case "cmdline":
		return i > 1 && slices.Contains([]string{"options", "commands", "defaults", "command", "script_path"}, parts[2])
	}
	return false
}
