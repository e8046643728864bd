package study

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// decoder turns YAML into the types of file.go. It goes on after a fault, so that all of a file are told at once, and remembers
// where every value came from, for faults that only the whole shows.
type decoder struct {
	name   string
	places map[string]place // by path, such as scenarios[1].server
	faults faults
	// setting is the --set that is read now; origins are the values that one gave, by path.
	setting string
	origins map[string]string
	// wrong are the values with a fault, by path: what follows from one is no further fault.
	wrong map[string]bool
	// anchors are what aliases stand for, by name; depth is how deep into is: an alias may be inside of what it stands for.
	anchors map[string]ast.Node
	depth   int
	// replaced are the keys that quick, full or --set gave.
	replaced map[string]bool
}

// place is a position in a file, from 1; 0: not from the file.
type place struct{ line, column int }

// scalar is a type that reads itself from a word.
type scalar interface{ parse(text string) error }

// special is a type that reads itself from a node.
type special interface {
	decode(d *decoder, n ast.Node, path string)
}

func placeOf(n ast.Node) place {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return place{}
	}
	p := n.GetToken().Position
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		return placeOf(m.Values[0].Key)
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		return placeOf(m.Key)
	}
	return place{p.Line, p.Column}
}

// fault adds a fault at a node.
func (d *decoder) fault(n ast.Node, format string, args ...any) {
	d.faults = append(d.faults, &Problem{File: d.name, place: placeOf(n), Text: fmt.Sprintf(format, args...)})
}

// faultAt adds a fault of the value at a path, or of the nearest value around it.
func (d *decoder) faultAt(path, format string, args ...any) {
	at := path
	for at != "" {
		if _, ok := d.places[at]; ok {
			break
		}
		at = at[:max(strings.LastIndexAny(at, ".["), 0)]
	}
	if at != "" && d.wrong[at] {
		return
	}
	p := &Problem{File: d.name, place: d.places[at], Text: fmt.Sprintf(format, args...)}
	if origin := d.origins[at]; origin != "" {
		p.File, p.place = origin, place{}
	}
	d.faults = append(d.faults, p)
}

// maxDepth is more than any file has that says something.
const maxDepth = 50

// byteOrderMark is what some editors write before the text.
var byteOrderMark = []byte("\xef\xbb\xbf")

// parse returns the root of a text, nil when it is empty.
func (d *decoder) parse(text []byte) ast.Node {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if at := notText(text); at >= 0 {
		d.faults = append(d.faults, &Problem{
			File: d.name, place: place{1 + bytes.Count(text[:at], []byte("\n")), at - bytes.LastIndexByte(text[:at], '\n')},
			Text: fmt.Sprintf("no text in UTF-8: the byte 0x%02x; is it a study file? One that an editor kept as UTF-16 is to be saved as UTF-8", text[at]),
		})
		return nil
	}
	f, err := parser.ParseBytes(text, 0)
	if err != nil {
		d.faults = append(d.faults, syntaxProblem(d.name, err))
		return nil
	}
	var root ast.Node
	for _, doc := range f.Docs {
		switch {
		case doc.Body == nil:
		case root != nil:
			d.fault(doc.Body, "a second document begins here; a file has one study")
		default:
			root = doc.Body
		}
	}
	return root
}

// notText is the position of the first byte that no text in UTF-8 has, -1 without one.
func notText(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return i
		}
		i += size
	}
	return -1
}

// Visit remembers an anchor, for aliases anywhere after it.
func (d *decoder) Visit(n ast.Node) ast.Visitor {
	if x, ok := n.(*ast.AnchorNode); ok {
		if d.anchors == nil {
			d.anchors = map[string]ast.Node{}
		}
		d.anchors[x.Name.GetToken().Value] = x.Value
	}
	return d
}

// resolve follows anchors and aliases, which are as good as what they stand for. What it returns is no alias: one without an anchor is a fault.
func (d *decoder) resolve(n ast.Node) ast.Node {
	for range maxDepth {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.AliasNode:
			name := x.Value.GetToken().Value
			target, ok := d.anchors[name]
			if !ok {
				d.fault(n, "*%s stands for nothing: no value is marked with &%s", name, name)
				return ast.Null(n.GetToken())
			}
			n = target
		case *ast.TagNode:
			n = x.Value
		default:
			return n
		}
	}
	d.fault(n, "an alias stands for itself")
	return ast.Null(n.GetToken())
}

// isMapping reports whether a node is keys with values.
func isMapping(n ast.Node) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

// pairs are the keys and values of a mapping, those that << takes over included; ok is false where the node is none.
func (d *decoder) pairs(n ast.Node) (list []*ast.MappingValueNode, ok bool) {
	var own []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		own = m.Values
	case *ast.MappingValueNode:
		own = []*ast.MappingValueNode{m}
	default:
		return nil, false
	}
	d.depth++
	defer func() { d.depth-- }()
	if d.depth > maxDepth {
		d.fault(n, "nested too deep: does an alias stand for something that it is a part of?")
		return nil, true
	}
	var taken []*ast.MappingValueNode
	for _, pair := range own {
		if pair.Key.Type() != ast.MergeKeyType {
			list = append(list, pair)
			continue
		}
		from := []ast.Node{d.resolve(pair.Value)}
		if s, ok := from[0].(*ast.SequenceNode); ok {
			from = s.Values
		}
		for _, x := range from {
			more, ok := d.pairs(d.resolve(x))
			if !ok {
				d.fault(x, "<< takes over the keys of a mapping, as in <<: *name")
			}
			taken = append(taken, more...)
		}
	}
	has := func(key string) bool {
		return slices.ContainsFunc(list, func(y *ast.MappingValueNode) bool { return keyOf(y) == key })
	}
	for _, pair := range taken { // what a mapping says itself, and what is taken first, goes before
		if !has(keyOf(pair)) {
			list = append(list, pair)
		}
	}
	return list, true
}

func keyOf(pair *ast.MappingValueNode) string { return pair.Key.GetToken().Value }

// word is the text of a scalar.
func word(n ast.Node) (string, bool) {
	switch x := n.(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.LiteralNode:
		return x.Value.Value, true
	case *ast.NullNode:
		return "", true
	case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode, nil:
		return "", false
	}
	if n.GetToken() == nil {
		return "", false
	}
	return n.GetToken().Value, true
}

// into decodes a node into a value.
func (d *decoder) into(n ast.Node, v reflect.Value, path string) {
	before := len(d.faults)
	d.depth++
	defer func() {
		d.depth--
		if len(d.faults) > before {
			if d.wrong == nil {
				d.wrong = map[string]bool{}
			}
			d.wrong[path] = true
		}
	}()
	if d.depth > maxDepth {
		d.fault(n, "nested too deep: does an alias stand for something that it is a part of?")
		return
	}
	n = d.resolve(n)
	d.places[path] = placeOf(n)
	if d.setting != "" {
		if d.origins == nil {
			d.origins = map[string]string{}
		}
		d.origins[path] = d.setting
	}
	if v.CanAddr() {
		switch x := v.Addr().Interface().(type) {
		case special:
			x.decode(d, n, path)
			return
		case scalar:
			text, ok := word(n)
			if !ok {
				d.fault(n, "%s: a single value is needed here", path)
			} else if err := x.parse(text); err != nil {
				d.fault(n, "%s: %s", path, err)
			}
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		d.into(n, v.Elem(), path)
	case reflect.Struct:
		d.structure(n, v, path)
	case reflect.Slice:
		d.list(n, v, path)
	case reflect.Map:
		d.mapping(n, v, path)
	default:
		text, ok := word(n)
		if !ok {
			d.fault(n, "%s: a single value is needed here", path)
		} else if err := parseBasic(text, v); err != nil {
			d.fault(n, "%s: %s", path, err)
		}
	}
}

// keysOf are the keys of a struct, by the tag yaml.
func keysOf(t reflect.Type) (names []string, index map[string]int) {
	index = map[string]int{}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" {
			names = append(names, name)
			index[name] = i
		}
	}
	return names, index
}

func (d *decoder) structure(n ast.Node, v reflect.Value, path string) {
	list, ok := d.pairs(n)
	if _, null := n.(*ast.NullNode); null {
		return
	}
	if !ok {
		d.fault(n, "%s: keys and values are needed here, such as %s", orTop(path), example(v.Type()))
		return
	}
	names, index := keysOf(v.Type())
	seen := map[string]bool{}
	for _, pair := range list {
		key := keyOf(pair)
		i, ok := index[key]
		switch {
		case !ok:
			d.fault(pair.Key, "unknown key '%s' in %s%s", key, orTop(path), suggestion(key, names))
			continue
		case seen[key]:
			d.fault(pair.Key, "the key '%s' is there twice in %s", key, orTop(path))
			continue
		}
		seen[key] = true
		d.into(pair.Value, v.Field(i), join(path, key))
	}
}

func (d *decoder) list(n ast.Node, v reflect.Value, path string) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		if _, single := word(n); single { // one value stands for a list of one
			if _, null := n.(*ast.NullNode); null {
				return
			}
			item := reflect.New(v.Type().Elem()).Elem()
			d.into(n, item, path)
			v.Set(reflect.Append(reflect.MakeSlice(v.Type(), 0, 1), item))
			return
		}
		d.fault(n, "%s: a list is needed here: [a, b], or a line with - for each", orTop(path))
		return
	}
	out := reflect.MakeSlice(v.Type(), 0, len(s.Values))
	for i, item := range s.Values {
		e := reflect.New(v.Type().Elem()).Elem()
		d.into(item, e, fmt.Sprintf("%s[%d]", path, i))
		out = reflect.Append(out, e)
	}
	v.Set(out)
}

func (d *decoder) mapping(n ast.Node, v reflect.Value, path string) {
	list, ok := d.pairs(n)
	if _, null := n.(*ast.NullNode); null {
		return
	}
	if !ok {
		d.fault(n, "%s: keys and values are needed here, such as {name: value}", orTop(path))
		return
	}
	out := reflect.MakeMap(v.Type())
	for _, pair := range list {
		key := reflect.ValueOf(keyOf(pair))
		if out.MapIndex(key).IsValid() {
			d.fault(pair.Key, "the key '%s' is there twice in %s", key, orTop(path))
		}
		e := reflect.New(v.Type().Elem()).Elem()
		d.into(pair.Value, e, join(path, key.String()))
		out.SetMapIndex(key, e)
	}
	v.Set(out)
}

func orTop(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// example is what a mapping of a type may look like.
func example(t reflect.Type) string {
	names, _ := keysOf(t)
	return "{" + names[0] + ": …}"
}

// suggestion names what was probably meant, or what there is.
func suggestion(key string, names []string) string {
	best, distance := "", 3
	for _, name := range names {
		if n := editDistance(strings.ToLower(strings.ReplaceAll(key, "-", "_")), name); n < distance {
			best, distance = name, n
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean '%s'?", best)
	}
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return "; there are " + strings.Join(sorted, ", ")
}

// editDistance is Levenshtein's.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
