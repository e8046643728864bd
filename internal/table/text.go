package table

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// missing is what stands in the place of a number that is not known.
const missing = "–"

// cellWidth is the number of columns that a text takes on a terminal: two for the characters of Chinese, Japanese and Korean
// and for full-width forms, none for combining marks.
func cellWidth(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), 0xFF01 <= r && r <= 0xFF60, 0x1F300 <= r && r <= 0x1FAFF:
			n += 2
		default:
			n++
		}
	}
	return n
}

// clean replaces what would move a terminal's cursor, or end a line of a table, by spaces.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || (r >= '\u202a' && r <= '\u202e') || (r >= '\u2066' && r <= '\u2069') {
			return ' '
		}
		return r
	}, s)
}

// asciiForms are the characters that our own texts use, with what replaces them.
var asciiForms = strings.NewReplacer(
	"−", "-", "±", "+/-", "–", "-", "…", "...", "×", "x", "≠", "!=", "≥", ">=", "≤", "<=", "µ", "u", "→", "->", "’", "'", "“", "\"", "”", "\"",
)

// toASCII spells a text without other characters than those of ASCII; what has no spelling becomes a question mark.
func toASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, asciiForms.Replace(s))
}

// superscript spells footnote numbers.
var superscript = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// decimal spells a value with separators between thousands.
func decimal(v float64, places int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', places, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if v < 0 && strings.ContainsAny(s, "123456789") {
		return "−" + whole
	}
	return whole
}

// signed spells a change with its sign. A change that is rounded to zero keeps its sign: [+0.0, +1.2] leaves out zero.
func signed(v float64, places int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', places, 64)
	switch {
	case v < 0:
		return "−" + s
	case v > 0:
		return "+" + s
	}
	return s
}

// placesOf is the number of decimals that an interval's width in points allows: two digits of the width, at least one decimal,
// at most four.
func placesOf(width float64) int {
	if !(width > 0) {
		return 1
	}
	return min(max(1-int(math.Floor(math.Log10(width))), 1), 4)
}

// metricPlaces returns the decimals of each metric's values.
func metricPlaces(lines []Line) map[string]int {
	smallest := map[string]float64{}
	for _, l := range lines {
		for _, v := range []*float64{l.Baseline, l.Value} {
			value, ok := known64(v)
			if value = math.Abs(value); !ok || value == 0 {
				continue
			}
			if s, seen := smallest[l.Metric.Name]; !seen || value < s {
				smallest[l.Metric.Name] = value
			}
		}
	}
	places := map[string]int{}
	for _, l := range lines {
		switch p := l.Metric.Places; {
		case p > 0:
			places[l.Metric.Name] = p
		case p == 0 && smallest[l.Metric.Name] > 0:
			places[l.Metric.Name] = min(max(2-int(math.Floor(math.Log10(smallest[l.Metric.Name]))), 0), 6)
		}
	}
	return places
}

// pieces cuts a text where a line may end: behind spaces and behind the separators of names and options.
func pieces(s string) []string {
	var list []string
	begin := 0
	for i, r := range s {
		if strings.ContainsRune(" _-/=,.:", r) && i+utf8.RuneLen(r)+2 < len(s) { // two characters alone are no line: queries/s]
			list = append(list, s[begin:i+utf8.RuneLen(r)])
			begin = i + utf8.RuneLen(r)
		}
	}
	return append(list, s[begin:])
}

// wrap cuts a text into lines of a width; only words that are longer than that are cut inside. Line ends in the text stay.
func wrap(s string, width int) []string {
	var lines []string
	for part := range strings.SplitSeq(s, "\n") {
		lines = append(lines, wrapLine(part, width)...)
	}
	return lines
}

func wrapLine(s string, width int) []string {
	if cellWidth(s) <= width {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, p := range pieces(s) {
		if line != "" && cellWidth(line+strings.TrimRight(p, " ")) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		line += p
		for cellWidth(strings.TrimRight(line, " ")) > width {
			head, tail := cut(line, width)
			if head == "" {
				break
			}
			lines = append(lines, head)
			line = tail
		}
	}
	return append(lines, strings.TrimRight(line, " "))
}

// cut returns the longest beginning of s that fits in a width, and the rest.
func cut(s string, width int) (head, tail string) {
	for i, r := range s {
		if cellWidth(s[:i]+string(r)) > width {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// prose cuts a text into lines at spaces; words may be longer than the width. The lines after the first are indented.
func prose(s string, width, indent int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(s) {
		w := cellWidth(word)
		switch {
		case i == 0:
		case column+1+w > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += w
	}
	return b.String()
}
