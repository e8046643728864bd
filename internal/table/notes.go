package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// notes collects footnotes: the same text has one number, wherever it is needed.
type notes struct{ texts []string }

// mark returns the numbers of texts as they are written behind a cell, such as ¹ ³; empty without texts.
func (n *notes) mark(texts ...string) string {
	var numbers []int
	for _, text := range texts {
		text = clean(text)
		if strings.TrimSpace(text) == "" {
			continue
		}
		i := slices.Index(n.texts, text)
		if i < 0 {
			i = len(n.texts)
			n.texts = append(n.texts, text)
		}
		if !slices.Contains(numbers, i+1) {
			numbers = append(numbers, i+1)
		}
	}
	var b strings.Builder
	for i, number := range numbers {
		if i > 0 {
			b.WriteByte(' ') // else ¹² is twelve
		}
		b.WriteString(superscript.Replace(strconv.Itoa(number)))
	}
	return b.String()
}

// asciiMarks rewrites marks as [1] [2].
func asciiMarks(s string) string {
	if !strings.ContainsAny(s, "⁰¹²³⁴⁵⁶⁷⁸⁹") {
		return s
	}
	var b strings.Builder
	digits := ""
	flush := func() {
		if digits != "" {
			fmt.Fprintf(&b, "[%s]", digits)
			digits = ""
		}
	}
	for _, r := range s {
		if i := slices.Index([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹"), r); i >= 0 {
			digits += strconv.Itoa(i)
			continue
		}
		flush()
		b.WriteRune(r)
	}
	flush()
	return b.String()
}
