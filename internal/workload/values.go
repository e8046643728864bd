package workload

import (
	"fmt"
	"math"

	"deltabench/internal/option"
)

// Value is the value of one option in the forms that tests ask for. Its type decides which field counts
// besides Text.
type Value struct {
	Text  string   // as typed, or the default; strings
	Int   int64    // Int and Size
	Float float64  // Double
	Bool  bool     // Bool
	List  []string // List
}

// Values are option values by name, names spelled with underscores. They are not changed once a test has
// them. Asking for a name that is not there is a mistake of the program and panics.
type Values map[string]Value

func (v Values) get(name string) Value {
	x, ok := v[name]
	if !ok {
		panic(fmt.Sprintf("workload: option %q is not declared", name))
	}
	return x
}

// Has reports whether there is an option of that name.
func (v Values) Has(name string) bool { _, ok := v[name]; return ok }

// Int returns the value of an Int option.
func (v Values) Int(name string) int { return int(v.get(name).Int) }

// Size returns the value of a Size option in bytes.
func (v Values) Size(name string) int64 { return v.get(name).Int }

// Float returns the value of a Double option.
func (v Values) Float(name string) float64 { return v.get(name).Float }

// Bool returns the value of a Bool option.
func (v Values) Bool(name string) bool { return v.get(name).Bool }

// String returns the value of a String option, or the text of any other as it was typed.
func (v Values) String(name string) string { return v.get(name).Text }

// List returns the elements of a List option.
func (v Values) List(name string) []string { return v.get(name).List }

// ValuesOf reads the options that a test declares from what the user typed. The error is an
// *option.ValueError for a number that is none.
func ValuesOf(set *option.Set, specs []option.Spec) (Values, error) {
	v := make(Values, len(specs))
	for _, spec := range specs {
		x := Value{Text: set.Raw(spec.Name)}
		switch spec.Type {
		case option.Bool:
			x.Bool = set.Bool(spec.Name)
		case option.Int:
			n, err := set.Int(spec.Name)
			if err != nil {
				return nil, err
			}
			x.Int = int64(n)
		case option.Size:
			x.Int = int64(min(set.Size(spec.Name), math.MaxInt64))
		case option.Double:
			x.Float = set.Double(spec.Name)
		case option.List:
			x.List = set.List(spec.Name)
		}
		v[option.Key(spec.Name)] = x
	}
	return v, nil
}
