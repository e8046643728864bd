package sysbench

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// Explain prints what an event of a test does under the given options, and returns the exit code. The command line has
// the name of the test and options.
func Explain(env Env) int {
	s := newSession(env, textlog.New(env.Stdout, textlog.Notice))
	if err := s.explain(); err != nil {
		return s.refuse(err)
	}
	return ExitOK
}

func (s *session) explain() error {
	prog := s.env.Face.program()
	err := s.parse()
	s.warnOfTest()
	if err != nil {
		return err
	}
	switch {
	case len(s.words) == 0:
		return usagef("no test is named").hinted("as in '%s explain oltp_read_write'; see '%s --help' for the tests", prog, prog)
	case len(s.words) > 1:
		return usagef("Unrecognized command line argument: %s", s.words[1]).hinted("explain takes a test and options")
	}
	g, err := readGeneral(s.set, textlog.New(s.env.Stderr, textlog.Warning))
	if err != nil {
		return err
	}
	f := s.resolver().resolve(s.words[0])
	switch {
	case f.kind == notFound:
		return s.unknownTest(s.words[0])
	case f.kind == luaScript, f.kind == stdin:
		return &refusal{text: "Lua scripts cannot be explained; 'deltabench script check FILE' says what one uses", level: textlog.Fatal, code: ExitUnsupported}
	case f.kind == standalone:
		return fatalf("%s is a library of other tests and has no events", f.name)
	case slices.Contains(missing, f.test.Name()):
		return &refusal{text: fmt.Sprintf("the '%s' test is not in this version of deltabench yet", f.test.Name()), level: textlog.Fatal, code: ExitUnsupported}
	}
	if err := s.secondPass(f.test, g); err != nil {
		return err
	}
	for _, set := range []*option.Set{s.set, s.ours} {
		if err := checkNumbers(set); err != nil {
			return err
		}
	}
	values, err := workload.ValuesOf(s.set, f.test.Options())
	if err != nil {
		return err
	}
	x := explanation{g: g, test: f.test, values: values, set: s.set, utf8: speaksUTF8(s.env.Getenv)}
	text, err := x.text()
	if err != nil {
		return err
	}
	s.write(text)
	return nil
}

// explainWidth is the width of the text in columns.
const explainWidth = 80

// explanation is what a test does under some options.
type explanation struct {
	g      *General
	test   workload.Test
	values workload.Values
	set    *option.Set
	utf8   bool
	b      bytes.Buffer
}

func (x *explanation) printf(format string, args ...any) { fmt.Fprintf(&x.b, format, args...) }

// paragraph writes text in lines of at most explainWidth columns, all but the first indented.
func (x *explanation) paragraph(first string, indent int, text string) {
	line := first
	for _, word := range strings.Fields(text) {
		if len(line) > indent && len(line)+1+len(word) > explainWidth {
			x.printf("%s\n", strings.TrimRight(line, " "))
			line = strings.Repeat(" ", indent)
		}
		if len(line) > indent {
			line += " "
		}
		line += word
	}
	x.printf("%s\n", strings.TrimRight(line, " "))
}

// text is the whole explanation.
func (x *explanation) text() ([]byte, error) {
	x.printf("%s\n\n", x.test.Name())
	switch t := x.test.(type) {
	case workload.Describer:
		x.paragraph("", 0, "An event "+t.Describe(x.values, x.g.Threads))
		return x.b.Bytes(), nil
	case workload.Explainer:
		x.statements(t)
	}
	if err := x.keys(); err != nil {
		return nil, err
	}
	return x.b.Bytes(), nil
}

// statements writes the statements of an event and their sums.
func (x *explanation) statements(t workload.Explainer) {
	const indent = 30
	list := t.Statements(x.set.String("db-driver"), x.values)
	if len(list) == 0 {
		x.printf("An event sends nothing under these options.\n\n")
		return
	}
	x.printf("%8s  %-18s  statement\n", "an event", "kind")
	var reads, writes, others float64
	prepared := false
	for _, st := range list {
		sql := st.SQL
		if !x.utf8 {
			sql = strings.ReplaceAll(sql, "…", "...")
		}
		x.paragraph(fmt.Sprintf("%8s  %-18s  ", perEvent(st.PerEvent), st.Key), indent, sql)
		prepared = prepared || st.Prepared
		switch verb(st.SQL) {
		case "SELECT":
			reads += st.PerEvent
		case "INSERT", "UPDATE", "DELETE":
			writes += st.PerEvent
		default:
			others += st.PerEvent
		}
	}
	x.printf("\n")
	x.paragraph("", 0, fmt.Sprintf("Queries in an event: %s reads, %s writes, %s others, %s in all. Reports class queries by the server's answer as sysbench does: a write that changes no row counts as other.",
		perEvent(reads), perEvent(writes), perEvent(others), perEvent(reads+writes+others)))
	how := "as text, parameters filled in"
	if prepared && x.set.String("db-ps-mode") != "disable" {
		how = "as prepared statements"
	}
	x.paragraph("", 0, fmt.Sprintf("Statements are sent %s.", how))
	if x.values.Has("tables") && x.values.Float("tables") > 1 && !segmented(x.test) {
		x.paragraph("", 0, fmt.Sprintf("sbtest1 stands for one of %s tables: statements of the same kind in an event use the same one, drawn uniformly.", number(x.values.Float("tables"))))
	}
	x.printf("\n")
}

// perEvent spells a number of statements in an event; fractions are those of statements that several events share.
func perEvent(n float64) string {
	if n < 1 {
		return fmt.Sprintf("%.3g", n)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// verb is the first word of a statement.
func verb(sql string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	return word
}

// segmented reports whether each thread of a test draws from a part of the table of its own.
func segmented(t workload.Test) bool { return strings.HasPrefix(t.Name(), "select_random_") }

// The sample that the distribution is drawn from.
const (
	sampleDraws = 100_000
	sampleSeed  = 1
	sampleLines = 20   // of the picture
	sampleParts = 1000 // of the range, to find where the keys are
)

// keys draws the distribution of the keys.
func (x *explanation) keys() error {
	var keys workload.Keys
	sampler, own := x.test.(workload.Sampler)
	switch {
	case own:
		var err error
		if keys, err = sampler.Sample(x.values); err != nil {
			return fatalf("%s", err)
		}
	case !x.values.Has("table_size"):
		x.printf("Keys are not random.\n")
		return nil
	default:
		dist, err := random.New(x.g.Random)
		if err != nil {
			return fatalf("%s", err)
		}
		keys = workload.Keys{Text: distributionText(x.g.Random), Low: 1, High: random.Uint32(x.values.Float("table_size"))}
		if segmented(x.test) {
			keys.Low, keys.High = 0, random.Uint32(x.values.Float("table_size")/float64(x.g.Threads))
		}
		keys.Draw = func(s *random.Source) uint32 { return dist.Default(s, keys.Low, keys.High) }
	}
	low, high := keys.Low, keys.High
	if high <= low {
		x.printf("The table has no rows to draw keys from.\n")
		return nil
	}
	x.paragraph("", 0, fmt.Sprintf("Keys from %d to %d: %s.", low, high, keys.Text))
	if segmented(x.test) && x.g.Threads > 1 {
		x.paragraph("", 0, fmt.Sprintf("Each of the %d threads has such a range of its own, this is the first one's.", x.g.Threads))
	}
	process := random.NewProcess()
	process.Seed(sampleSeed)
	rng := process.NewSource()
	width := float64(high-low) + 1
	parts := make([]int, sampleParts)
	for range sampleDraws {
		i := int(float64(keys.Draw(rng)-low) / width * sampleParts)
		parts[min(max(i, 0), sampleParts-1)]++
	}
	x.picture(parts, low, width)
	return nil
}

// picture draws the counts of the parts of a range that starts at low.
func (x *explanation) picture(parts []int, low uint32, width float64) {
	lines := min(sampleLines, int(width))
	counts := make([]int, lines)
	for i, n := range parts {
		counts[i*lines/len(parts)] += n
	}
	most := slices.Max(counts)
	const barWidth = 44
	x.printf("\n")
	for i, n := range counts {
		from := float64(low) + float64(i)*width/float64(lines)
		to := float64(low) + float64(i+1)*width/float64(lines) - 1
		label := fmt.Sprintf("%.0f-%.0f", from, max(from, to))
		line := fmt.Sprintf("%22s %5.1f %% %s", label, 100*float64(n)/sampleDraws, x.bar(barWidth*float64(n)/float64(most)))
		x.printf("%s\n", strings.TrimRight(line, " "))
	}
	hot := slices.Clone(parts)
	slices.Sort(hot)
	slices.Reverse(hot)
	sum := 0
	for _, n := range hot[:sampleParts/100] {
		sum += n
	}
	x.printf("\n")
	x.paragraph("", 0, fmt.Sprintf("The busiest hundredth of the range gets %.1f %% of %d draws (a sample with a fixed seed).", 100*float64(sum)/sampleDraws, sampleDraws))
}

// bar is a bar of n columns, in eighths where the terminal can show them.
func (x *explanation) bar(n float64) string {
	if !x.utf8 {
		return strings.Repeat("#", int(n+0.5))
	}
	eighths := int(8*n + 0.5)
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return bar
}

// speaksUTF8 reports whether a terminal shows more than ASCII, by the locale's variables in their order of precedence.
func speaksUTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.HasSuffix(v, "utf-8") || strings.HasSuffix(v, "utf8")
		}
	}
	return false
}
