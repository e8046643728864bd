// Package option describes command line options in sysbench's terms: names, types, defaults, values
// as typed, and the list layout of help (specification 1.2, 1.7). It does not know which options exist
// or what they mean, and it never prints or exits.
package option

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
)

// Spec declares one option.
type Spec struct {
	Name       string // as listed by help: dashes for built-in options, underscores as declared by a test
	Desc       string
	Type       Type
	Default    string // as text; lists joined by commas
	NoDefault  bool   // help prints no [default] at all
	Deprecated string // name of the option that replaces this one
	Hidden     bool   // accepted, not listed (our additions on the sysbench face)
}
