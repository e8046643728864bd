// Package option describes command line options in sysbench's terms: names, types, defaults, values
// as typed, and the list layout of help (specification 1.2, 1.7). It does not know which options exist
// or what they mean, and it never prints or exits.
package option

import "strings"

// Type is the type of an option's value.
type Type int

// The types, named as in the help of sysbench.
const (
	Bool   Type = iota // [=on|off]
	Int                // =N, 32-bit signed decimal
	Size               // =SIZE, digits with one optional multiplier letter
	Double             // =N
	String             // =STRING
	List               // =[LIST,...]
	File               // =FILENAME

	// Untyped is the type of names that only a config file mentions; no Spec has it.
	Untyped
)

// suffixes follow the name in help.
var suffixes = [...]string{"[=on|off]", "=N", "=SIZE", "=N", "=STRING", "=[LIST,...]", "=FILENAME", ""}

// Suffix is what follows an option's name in help.
func (t Type) Suffix() string { return suffixes[t] }

// Spec declares one option.
type Spec struct {
	Name       string // as listed by help: dashes for built-in options, underscores as declared by a test
	Desc       string
	Type       Type
	Default    string // as text; lists joined by commas
	NoDefault  bool   // help prints no [default] at all, and the option is empty or what Default says
	Deprecated string // name of the option that replaces this one
	Hidden     bool   // accepted, not listed (our additions on the sysbench face)
	Bare       string // value of `--name` without `=` where that differs from an emptied option (never for Bool, where it is on)
}

// NewBool, NewInt, NewSize, NewDouble and NewString declare options with a default, as it would be typed.
func NewBool(name, def, desc string) Spec {
	return Spec{Name: name, Type: Bool, Default: def, Desc: desc}
}

// NewInt is described at NewBool.
func NewInt(name, def, desc string) Spec {
	return Spec{Name: name, Type: Int, Default: def, Desc: desc}
}

// NewSize is described at NewBool.
func NewSize(name, def, desc string) Spec {
	return Spec{Name: name, Type: Size, Default: def, Desc: desc}
}

// NewDouble is described at NewBool. Scripts get it for a number without a declared type.
func NewDouble(name, def, desc string) Spec {
	return Spec{Name: name, Type: Double, Default: def, Desc: desc}
}

// NewString is described at NewBool.
func NewString(name, def, desc string) Spec {
	return Spec{Name: name, Type: String, Default: def, Desc: desc}
}

// Key is the form of an option's name under which it is found and exported: `-` becomes `_`.
func Key(name string) string { return strings.ReplaceAll(name, "-", "_") }

// AppendList appends the help lines of the specs that are not hidden, in the order given, and the empty
// line that ends every list (specification 1.7).
func AppendList(dst []byte, specs []Spec) []byte {
	width := 0
	for _, s := range specs {
		if !s.Hidden {
			width = max(width, len(s.Name)+len(suffixes[s.Type]))
		}
	}
	for _, s := range specs {
		if s.Hidden {
			continue
		}
		dst = append(dst, "  --"...)
		dst = append(dst, s.Name...)
		dst = append(dst, suffixes[s.Type]...)
		for n := len(s.Name) + len(suffixes[s.Type]); n <= width; n++ {
			dst = append(dst, ' ')
		}
		dst = append(dst, s.Desc...)
		if !s.NoDefault {
			dst = append(dst, " ["...)
			dst = append(dst, s.Default...)
			dst = append(dst, ']')
		}
		dst = append(dst, '\n')
	}
	return append(dst, '\n')
}
