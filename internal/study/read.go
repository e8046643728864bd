package study

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// ReadOptions are what people change of a file without editing it.
type ReadOptions struct {
	Sets   []string            // --set PATH=VALUE
	Quick  bool                // the small version
	Full   bool                // the large version
	Getenv func(string) string // for ${NAME}
	Seed   uint64              // 0: that of the file, else a new one
	Rounds int                 // 0: those of the file
}

// Read reads a study file and makes a plan. Errors are of type *Problem, several joined, each a line with its place.
func Read(path string, o ReadOptions) (*Plan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text, o)
}

// Parse is Read of a text. Paths in it are relative to the directory of the name.
func Parse(name string, text []byte, o ReadOptions) (*Plan, error) {
	d := &decoder{name: name, places: map[string]place{}, replaced: map[string]bool{}}
	f := &file{}
	root := d.parse(text)
	if root != nil {
		ast.Walk(expander{d, o.Getenv}, root)
		ast.Walk(d, root)
		root = d.resolve(root)
	}
	switch {
	case len(d.faults) > 0:
		return nil, d.faults.err()
	case root == nil:
		return nil, &Problem{File: name, Text: "it is empty; 'deltabench study init' writes a file to start from"}
	case !isMapping(root):
		return nil, &Problem{File: name, place: placeOf(root), Text: "no study file: one begins with keys, as in study: NAME; 'deltabench study init' writes a file to start from"}
	}
	d.into(root, reflect.ValueOf(f).Elem(), "")
	switch {
	case o.Full && o.Quick:
		return nil, &Problem{File: name, Text: "--quick and --full exclude each other"}
	case o.Full && f.Full == nil:
		return nil, &Problem{File: name, Text: "--full: the file has no key full with the values of a large version"}
	case o.Full:
		d.override(f, f.Full)
	case o.Quick && f.Quick != nil:
		d.override(f, f.Quick)
	case o.Quick:
		quick(f)
		d.replaced["threads"] = true
	}
	if len(d.faults) == 0 {
		d.versions(root, f, o)
	}
	d.sets(f, o.Sets)
	if o.Rounds > 0 {
		f.Rounds = o.Rounds
	}
	if o.Seed > 0 {
		f.Seed = o.Seed
	}
	p := d.plan(f, filepath.Dir(name))
	if len(d.faults) > 0 {
		return nil, d.faults.err()
	}
	p.Quick = o.Quick
	return p, nil
}

// expander replaces ${NAME} and ${NAME:-default} in the scalars of a file by the environment. What a variable has is a value, whatever
// it looks like: it makes no keys.
type expander struct {
	d      *decoder
	getenv func(string) string
}

// Visit expands a node.
func (e expander) Visit(n ast.Node) ast.Visitor {
	switch x := n.(type) {
	case *ast.StringNode:
		x.Value = e.text(n, x.Value)
	case *ast.LiteralNode:
		x.Value.Value = e.text(n, x.Value.Value)
	}
	return e
}

func (e expander) text(n ast.Node, text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		inside, after, closed := strings.Cut(rest, "}")
		if !closed {
			e.d.fault(n, "${ without }: write ${NAME} or ${NAME:-default}")
			return b.String()
		}
		name, other, hasOther := strings.Cut(inside, ":-")
		value := ""
		if e.getenv != nil {
			value = e.getenv(name)
		}
		switch {
		case value != "":
		case hasOther:
			value = other
		default:
			e.d.fault(n, "the environment variable %s is not set: set it, or write ${%s:-default}", name, name)
		}
		b.WriteString(value)
		text = after
	}
}

// quick makes a study small that does not say how: five rounds, since fewer allow no verdict, few seconds, few threads.
func quick(f *file) {
	_ = f.Time.parse("2s")
	f.Rounds, f.Stop, f.EqualLoad = 5, nil, nil
	f.Threads = slices.DeleteFunc(slices.Clone(f.Threads), func(n int) bool { return n > 8 })
	if len(f.Threads) == 0 {
		f.Threads = []int{4}
	}
	if len(f.Threads) > 2 {
		f.Threads = []int{f.Threads[0], f.Threads[len(f.Threads)-1]}
	}
	f.Headline = 0
}

// versions tells the faults of the values of quick and full that are not asked for now: better when a file is checked than in the night
// when they are. They are tried on a copy.
func (d *decoder) versions(root ast.Node, f *file, o ReadOptions) {
	for _, v := range []struct {
		name   string
		values overrides
		asked  bool
	}{{"quick", f.Quick, o.Quick}, {"full", f.Full, o.Full}} {
		if v.asked || v.values == nil {
			continue
		}
		try := &decoder{name: d.name, places: map[string]place{}, anchors: d.anchors, replaced: map[string]bool{}}
		other := &file{}
		try.into(root, reflect.ValueOf(other).Elem(), "")
		try.override(other, v.values)
		for _, p := range try.faults {
			p.Text = v.name + ": " + p.Text
		}
		d.faults = append(d.faults, try.faults...)
	}
}

// override applies the values of quick or full.
func (d *decoder) override(f *file, list overrides) {
	for _, o := range list {
		d.set(f, o.path, o.node, func(format string, args ...any) { d.fault(o.node, format, args...) })
	}
}

// sets applies --set.
func (d *decoder) sets(f *file, list []string) {
	for _, text := range list {
		fail := func(format string, args ...any) {
			d.faults = append(d.faults, &Problem{File: "--set " + text, Text: fmt.Sprintf(format, args...)})
		}
		path, value, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			fail("a key and a value are needed, as in --set threads=1,8,64")
			continue
		}
		if strings.Contains(value, ",") && !strings.ContainsAny(value, "[{'\"") {
			value = "[" + value + "]"
		}
		sub := &decoder{name: "--set " + text, places: map[string]place{}}
		n := sub.parse([]byte(value))
		if len(sub.faults) > 0 {
			fail("the value cannot be read: %s", sub.faults[0].Text)
			continue
		}
		d.setting = "--set " + text
		d.set(f, path, n, fail)
		d.setting = ""
	}
}

// set sets the value at a path such as data.table_size or scenarios.NAME.server.innodb_io_capacity.
func (d *decoder) set(f *file, path string, n ast.Node, fail func(string, ...any)) {
	d.replaced[path] = true
	v := reflect.ValueOf(f).Elem()
	words := strings.Split(path, ".")
	for i, w := range words {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		where := strings.Join(words[:i], ".")
		if o, ok := v.Addr().Interface().(*options); ok {
			name := strings.Join(words[i:], ".")
			text, ok := word(d.resolve(n))
			if !ok {
				fail("%s takes a single value", path)
				return
			}
			if k := slices.IndexFunc(*o, func(x Option) bool { return x.Name == name }); k >= 0 {
				(*o)[k].Value = text
			} else {
				*o = append(*o, Option{name, text})
			}
			return
		}
		if c, ok := v.Addr().Interface().(*choices); ok {
			x := choice{path: path, name: strings.Join(words[i:], ".")}
			before := len(d.faults)
			d.into(n, reflect.ValueOf(&x.values).Elem(), path)
			d.passOn(before, fail)
			if k := slices.IndexFunc(*c, func(y choice) bool { return y.name == x.name }); k >= 0 {
				(*c)[k] = x
			} else {
				*c = append(*c, x)
			}
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			names, index := keysOf(v.Type())
			k, ok := index[w]
			if !ok {
				fail("there is no key '%s' in %s%s", w, orTop(where), suggestion(w, names))
				return
			}
			v = v.Field(k)
		case reflect.Slice:
			var names []string
			found := -1
			for k := range v.Len() {
				if name := v.Index(k).FieldByName("Name"); name.IsValid() {
					names = append(names, name.String())
					if name.String() == w {
						found = k
					}
				}
			}
			if found < 0 {
				fail("there is no '%s' in %s%s", w, where, suggestion(w, names))
				return
			}
			v = v.Index(found)
		default:
			fail("%s has no keys of its own", where)
			return
		}
	}
	if v.Kind() == reflect.Slice {
		v.SetZero()
	}
	before := len(d.faults)
	d.into(n, v, path)
	d.passOn(before, fail)
}

// passOn tells the faults from a place in the list on by fail, which adds them with a place of its own.
func (d *decoder) passOn(before int, fail func(string, ...any)) {
	found := slices.Clone(d.faults[before:])
	d.faults = d.faults[:before]
	for _, p := range found {
		fail("%s", p.Text)
	}
}
