package luaffi

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// conversion is one % of a format.
type conversion struct {
	flags  string
	width  int // with star -1
	prec   int // -1: none; -2: star
	verb   byte
	length string // h, l, ll, z ...
}

// maxPad bounds widths and precisions.
const maxPad = 1 << 16

var errFormat = errors.New("format has a conversion that is not complete or too wide")

// nextConversion splits format into the text before the next conversion, that, and the rest. verb is 0 at the end and for
// errors; "%%" has the verb %.
func nextConversion(format string) (text string, c conversion, rest string, err error) {
	i := strings.IndexByte(format, '%')
	if i < 0 {
		return format, c, "", nil
	}
	text, s := format[:i], format[i+1:]
	c.prec = -1
	span := func(set string) string {
		n := 0
		for n < len(s) && strings.IndexByte(set, s[n]) >= 0 {
			n++
		}
		head := s[:n]
		s = s[n:]
		return head
	}
	number := func() int {
		if strings.HasPrefix(s, "*") {
			s = s[1:]
			return -2
		}
		n, _ := strconv.Atoi("0" + span("0123456789"))
		if n > maxPad {
			err = errFormat
		}
		return n
	}
	c.flags = span("-+ #0")
	c.width = number()
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		c.prec = number()
	}
	c.length = span("hlLjzt")
	if s == "" || err != nil {
		return text, c, "", errFormat
	}
	c.verb = s[0]
	return text, c, s[1:], nil
}

// spec writes the conversion for package fmt with another verb.
func (c conversion) spec(verb string) string {
	s := "%" + c.flags
	if c.width > 0 {
		s += strconv.Itoa(c.width)
	}
	if c.prec >= 0 {
		s += "." + strconv.Itoa(c.prec)
	}
	return s + verb
}

func (c conversion) signed(n int64) string {
	if c.prec >= 0 {
		c.flags = strings.ReplaceAll(c.flags, "0", "")
	}
	return fmt.Sprintf(c.spec("d"), n)
}

func (c conversion) unsigned(n uint64) string {
	c.flags = strings.NewReplacer("+", "", " ", "").Replace(c.flags)
	if c.prec >= 0 {
		c.flags = strings.ReplaceAll(c.flags, "0", "")
	}
	verb := string(c.verb)
	if c.verb == 'u' {
		verb = "d"
	}
	if n == 0 && verb != "o" {
		c.flags = strings.ReplaceAll(c.flags, "#", "")
	}
	return fmt.Sprintf(c.spec(verb), n)
}

func (c conversion) float(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		text := "nan"
		switch {
		case math.IsInf(f, -1):
			text = "-inf"
		case math.IsInf(f, 1):
			text = "inf"
		}
		if c.verb < 'a' {
			text = strings.ToUpper(text)
		}
		c.flags = strings.ReplaceAll(c.flags, "0", "")
		c.prec = -1
		return fmt.Sprintf(c.spec("s"), text)
	}
	if c.prec < 0 {
		c.prec = 6
	}
	if (c.verb == 'g' || c.verb == 'G') && c.prec == 0 {
		c.prec = 1
	}
	return fmt.Sprintf(c.spec(string(c.verb)), f)
}

// cprintf formats as C's printf does. A number may be a double where C wants an integer: a Lua number is one.
func cprintf(args []Value) (string, error) {
	format, err := Arg(args, 0).Text()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	next := 1
	take := func() (Value, error) {
		if next >= len(args) {
			return Value{}, errors.New("format has more conversions than there are arguments")
		}
		next++
		return args[next-1], nil
	}
	for format != "" {
		text, c, rest, err := nextConversion(format)
		if err != nil {
			return "", err
		}
		format = rest
		out.WriteString(text)
		if c.verb == 0 {
			break
		}
		if c.verb == '%' {
			out.WriteByte('%')
			continue
		}
		if err := c.stars(take); err != nil {
			return "", err
		}
		v, err := take()
		if err != nil {
			return "", err
		}
		s, err := c.format(v)
		if err != nil {
			return "", err
		}
		out.WriteString(s)
	}
	return out.String(), nil
}

// stars takes width and precision from arguments.
func (c *conversion) stars(take func() (Value, error)) error {
	if c.width == -2 {
		v, err := take()
		if err != nil {
			return err
		}
		n := v.Int()
		if n < 0 {
			c.flags += "-"
			n = -n
		}
		if n < 0 || n > maxPad {
			return errFormat
		}
		c.width = int(n)
	}
	if c.prec == -2 {
		v, err := take()
		if err != nil {
			return err
		}
		if c.prec = int(max(v.Int(), -1)); c.prec > maxPad {
			return errFormat
		}
	}
	return nil
}

func (c conversion) format(v Value) (string, error) {
	switch c.verb {
	case 'd', 'i':
		n := v.Int()
		if c.length == "" {
			n = int64(int32(n))
		}
		return c.signed(n), nil
	case 'u', 'x', 'X', 'o':
		n := v.Uint()
		if c.length == "" {
			n = uint64(uint32(v.Int()))
		}
		return c.unsigned(n), nil
	case 'c':
		c.prec = -1
		return fmt.Sprintf(c.spec("s"), string([]byte{byte(v.Int())})), nil
	case 'e', 'E', 'f', 'F', 'g', 'G':
		return c.float(v.Float()), nil
	case 'p':
		if v.IsNull() {
			return "(nil)", nil
		}
		return fmt.Sprintf("%#x", uint64(v.Int())), nil
	case 's':
		c.flags = strings.ReplaceAll(c.flags, "0", "")
		if v.IsNull() {
			return fmt.Sprintf(c.spec("s"), "(null)"), nil
		}
		if v.typ != nil && v.typ.number() {
			return "", errors.New("%s in a format needs a string")
		}
		s, err := v.Text()
		if c.prec >= 0 && len(s) > c.prec {
			s = s[:c.prec]
		}
		c.prec = -1
		return padBytes(c, s), err
	}
	return "", fmt.Errorf("conversion %%%c in a format is not available", c.verb)
}

// padBytes pads to a width in bytes, as C does; package fmt counts characters.
func padBytes(c conversion, s string) string {
	if n := c.width - len(s); n > 0 {
		if strings.Contains(c.flags, "-") {
			return s + strings.Repeat(" ", n)
		}
		return strings.Repeat(" ", n) + s
	}
	return s
}
