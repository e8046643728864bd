package option

import (
	"fmt"
	"strconv"
	"strings"
)

// Set holds declared options and their values. Values are stored as typed and converted when they are
// read, so that a bad number is reported only by a command that needs it, as sysbench does.
// A Set is not safe for concurrent changes; concurrent reads are fine.
type Set struct {
	order   []*entry
	entries map[string]*entry
}

type entry struct {
	Spec
	values []string // nil: emptied or never set
	given  bool     // by the user, not by the default
}

// NewSet returns a set with the given options declared.
func NewSet(specs ...Spec) *Set {
	s := &Set{entries: map[string]*entry{}}
	s.Declare(specs...)
	return s
}

// Declare adds options and gives them their defaults. An option that is already there is replaced:
// its value becomes the new default, even when the user gave one (specification 1.6).
func (s *Set) Declare(specs ...Spec) {
	for _, spec := range specs {
		e := s.entries[Key(spec.Name)]
		if e == nil {
			e = &entry{}
			s.entries[Key(spec.Name)] = e
			s.order = append(s.order, e)
		}
		*e = entry{Spec: spec}
		if !spec.NoDefault || spec.Default != "" {
			e.setText(spec.Default)
		}
	}
}

// Lookup returns the declaration of a name, in either spelling.
func (s *Set) Lookup(name string) (Spec, bool) {
	e := s.entries[Key(name)]
	if e == nil {
		return Spec{}, false
	}
	return e.Spec, true
}

// Specs returns the declarations in the order of their first declaration.
func (s *Set) Specs() []Spec {
	specs := make([]Spec, len(s.order))
	for i, e := range s.order {
		specs[i] = e.Spec
	}
	return specs
}

// Outcome is what became of an argument.
type Outcome int

// Outcomes of ParseArg.
const (
	Stored  Outcome = iota // understood, the value is stored
	Unknown                // no such option
	Invalid                // a boolean with a value that is none
)

// ParseArg stores the value of one argument of the form --name[=value] (specification 1.1, 1.2).
// The text before the first = is the name; anything that does not start with -- is Unknown.
func (s *Set) ParseArg(arg string) Outcome {
	rest, ok := strings.CutPrefix(arg, "--")
	if !ok {
		return Unknown
	}
	name, value, hasValue := strings.Cut(rest, "=")
	e := s.entries[Key(name)]
	if e == nil {
		return Unknown
	}
	switch e.Type {
	case Untyped:
		return Invalid
	case Bool:
		if !hasValue {
			value = "on"
		}
		on, ok := parseBool(value)
		if !ok {
			return Invalid
		}
		e.setBool(on)
	default:
		if !hasValue {
			value = e.Bare
		}
		e.setText(value)
	}
	e.given = true
	return Stored
}

// SetText gives an option the value text, as if the user had typed it; the name must be declared.
func (s *Set) SetText(name, text string) {
	e := s.must(name)
	e.setText(text)
	e.given = true
}

// Given reports whether the user gave the option (and no declaration replaced it since).
func (s *Set) Given(name string) bool {
	e := s.entries[Key(name)]
	return e != nil && e.given
}

// Raw returns the value as typed, list elements joined by commas; empty for an emptied option.
func (s *Set) Raw(name string) string { return strings.Join(s.must(name).values, ",") }

// Bool reports whether the option is on.
func (s *Set) Bool(name string) bool { return len(s.must(name).values) > 0 }

// Int returns the value as a 32-bit signed number, 0 when emptied, or a *ValueError.
func (s *Set) Int(name string) (int, error) {
	e := s.must(name)
	if len(e.values) == 0 {
		return 0, nil
	}
	n, ok := parseInt(e.values[0])
	if !ok {
		return 0, &ValueError{Key: Key(e.Name), Value: e.values[0]}
	}
	return n, nil
}

// Size returns the value in bytes (or whatever the option counts); what cannot be read is 0.
func (s *Set) Size(name string) uint64 { return parseSize(s.String(name)) }

// Double returns the value as C's strtod reads it: garbage is 0.
func (s *Set) Double(name string) float64 { return parseDouble(s.String(name)) }

// String returns the text of the (first) value; empty when emptied.
func (s *Set) String(name string) string {
	e := s.must(name)
	if len(e.values) == 0 {
		return ""
	}
	return e.values[0]
}

// List returns a copy of the elements.
func (s *Set) List(name string) []string { return append([]string(nil), s.must(name).values...) }

// Check reads every value of a type that can be wrong and returns the first *ValueError, in order of
// declaration: what exporting all options to a script amounts to.
func (s *Set) Check() error {
	for _, e := range s.order {
		if e.Type == Int {
			if _, err := s.Int(e.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Untyped returns the names that only a config file mentions, in order of appearance.
func (s *Set) Untyped() []string {
	var names []string
	for _, e := range s.order {
		if e.Type == Untyped {
			names = append(names, e.Name)
		}
	}
	return names
}

// ValueError is a value that does not fit the type of its option.
type ValueError struct {
	Key   string // underscore form
	Value string
}

// Error is the line that sysbench prints.
func (e *ValueError) Error() string {
	return fmt.Sprintf("Invalid value for the '%s' option: '%s'", e.Key, e.Value)
}

// must finds a declared option; asking for another one is a mistake of the program.
func (s *Set) must(name string) *entry {
	e := s.entries[Key(name)]
	if e == nil {
		panic("option " + strconv.Quote(name) + " is not declared")
	}
	return e
}

func (e *entry) setText(text string) {
	e.values = nil
	switch e.Type {
	case Bool:
		on, _ := parseBool(text)
		e.setBool(on)
	case List:
		for v := range strings.SplitSeq(text, ",") {
			if v != "" {
				e.values = append(e.values, v)
			}
		}
	default:
		if text != "" {
			e.values = []string{text}
		}
	}
}

func (e *entry) setBool(on bool) {
	e.values = nil
	if on {
		e.values = []string{"on"}
	}
}
