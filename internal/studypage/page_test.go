package studypage

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"deltabench/internal/findings"
	"deltabench/internal/table"
)

var generated = time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)

// written is the page of r.
func written(t *testing.T, r *findings.Results) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, Options{generated}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Pages that several tests read; the race detector makes each take seconds.
var (
	samplePage    = once(sampleResults)
	oneTargetPage = once(oneTarget)
	hostilePage   = once(hostileResults)
)

func once(results func() *findings.Results) func() string {
	return sync.OnceValue(func() string {
		var b strings.Builder
		if err := Write(&b, results(), Options{generated}); err != nil {
			return err.Error()
		}
		return b.String()
	})
}

// script is one of a page.
type script struct{ attributes, text string }

// taken takes the scripts and the style out of a page. Regular expressions would take seconds for it under the race detector.
func taken(page string) (markup string, scripts []script) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(page, "<script")
		b.WriteString(before)
		if !found {
			break
		}
		attributes, rest, _ := strings.Cut(rest, ">")
		text, rest, _ := strings.Cut(rest, "</script>")
		scripts = append(scripts, script{attributes, text})
		page = rest
	}
	before, rest, _ := strings.Cut(b.String(), "<style>")
	_, after, _ := strings.Cut(rest, "</style>")
	return before + after, scripts
}

func TestSize(t *testing.T) {
	t.Parallel()
	page := samplePage()
	t.Logf("%d bytes", len(page))
	if len(page) > 3e6 {
		t.Errorf("the page of a study of 396 cells has %d bytes; 3,000,000 are allowed", len(page))
	}
}

// The block of data has every value of every chart, and nothing else.
func TestDataAreTheResults(t *testing.T) {
	t.Parallel()
	r := sampleResults()
	hole := &r.Targets[1].Charts[4].Series[2].Points[7]
	hole.Y, hole.Low, hole.High, hole.Text = math.NaN(), math.NaN(), math.Inf(1), "1 of 10 rounds: no value"
	var block string
	_, scripts := taken(written(t, r))
	for _, s := range scripts {
		if strings.Contains(s.attributes, "application/json") {
			block = s.text
		}
	}
	var pictures []struct {
		ID     string
		Zero   bool
		Band   float64
		Series []struct {
			Name   string
			Style  int
			Points []struct {
				X, Y, Low, High *float64
				Text            string
			}
		}
	}
	if err := json.Unmarshal([]byte(block), &pictures); err != nil {
		t.Fatalf("%v: %.200s", err, block)
	}
	equal := func(where string, got *float64, want float64) {
		t.Helper()
		if got == nil && !known(want) || got != nil && *got == want {
			return
		}
		t.Errorf("%s is %v, the results have %g", where, got, want)
	}
	values := 0
	for _, target := range r.Targets {
		for _, c := range target.Charts {
			p := pictures[0]
			pictures = pictures[1:]
			if p.ID != c.ID || p.Zero != c.Zero || p.Band != c.Band || len(p.Series) != len(c.Series) {
				t.Fatalf("%s is %+v", c.ID, p)
			}
			for i, s := range c.Series {
				q := p.Series[i]
				if q.Name != s.Name || (q.Style < 0) != s.Baseline || len(q.Points) != len(s.Points) {
					t.Fatalf("%s, %s: name, style or number of points differ: %+v", c.ID, s.Name, q)
				}
				for n, want := range s.Points {
					got := q.Points[n]
					where := fmt.Sprintf("%s, %s, point %d", c.ID, s.Name, n)
					equal(where+", x", got.X, want.X)
					equal(where+", y", got.Y, want.Y)
					equal(where+", low", got.Low, want.Low)
					equal(where+", high", got.High, want.High)
					if got.Text != want.Text {
						t.Errorf("%s says %q, want %q", where, got.Text, want.Text)
					}
					values++
				}
			}
		}
	}
	if len(pictures) != 0 || values != 2*3*(6+6+5)*11 {
		t.Errorf("%d values compared, %d pictures left", values, len(pictures))
	}
}

// A scenario has the same style in all charts of its target, and no two have the same.
func TestStyles(t *testing.T) {
	t.Parallel()
	target := sampleResults().Targets[0]
	styles := stylesOf(&target)
	for i, s := range sampleScenarios[1:] {
		if styles[s.Name] != i {
			t.Errorf("%s has style %d, want %d", s.Name, styles[s.Name], i)
		}
	}
	type look struct {
		color   int
		outline int
		hollow  bool
	}
	seen := map[look]int{}
	for i := range styleCount * styleCount {
		outline, hollow := symbol(i).shape()
		l := look{i % styleCount, outline, hollow}
		if j, ok := seen[l]; ok {
			t.Errorf("styles %d and %d look the same", i, j)
		}
		seen[l] = i
	}
}

// What is embedded is what VERSION says, and comes with its licences.
func TestLibrary(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("echarts/VERSION")
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		facts[name] = strings.TrimSpace(value)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(echartsJS))); sum != facts["sha256"] {
		t.Errorf("the embedded library has the SHA-256 %s, VERSION says %s", sum, facts["sha256"])
	}
	if !strings.Contains(echartsJS, `version="`+facts["version"]+`"`) && !strings.Contains(echartsJS, `"`+facts["version"]+`"`) {
		t.Errorf("the embedded library is not version %q", facts["version"])
	}
	if strings.Contains(echartsJS+pageJS, "</script") || strings.Contains(echartsJS+pageJS, "<!--") || strings.Contains(echartsJS+pageJS, "\r") {
		t.Error("a script has text that HTML reads otherwise")
	}
	page := html.UnescapeString(oneTargetPage())
	for _, want := range []string{"Apache License", "Copyright 2017-2026 The Apache Software Foundation", "Mike Bostock", "Baidu Inc."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not carry the licence text %q", want)
		}
	}
}

// asking are the attributes that make a browser ask for something.
var asking = []string{"src", "srcset", "href", "xlink:href", "action", "formaction", "poster", "data", "background", "ping"}

// The policy allows the scripts of the page and nothing else.
func TestPolicy(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{"sample": samplePage(), "hostile": hostilePage()} {
		markup, scripts := taken(page)
		want := "default-src 'none'; script-src"
		for _, s := range scripts {
			if s.attributes == "" {
				sum := sha256.Sum256([]byte(s.text))
				want += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			} else if s.attributes != ` type="application/json" id="data"` {
				t.Errorf("%s: a script%s", name, s.attributes)
			}
		}
		if len(scripts) != 3 {
			t.Errorf("%s: %d scripts", name, len(scripts))
		}
		want += "; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
		_, got, _ := strings.Cut(markup, `<meta http-equiv="Content-Security-Policy" content="`)
		got, _, _ = strings.Cut(got, `"`)
		if got = html.UnescapeString(got); got != want {
			t.Errorf("%s: policy %q, want %q", name, got, want)
		}
		for _, attribute := range asking {
			for _, rest := range strings.Split(markup, " "+attribute+`="`)[1:] {
				if value, _, _ := strings.Cut(rest, `"`); !strings.HasPrefix(value, "#") && value != "data:," {
					t.Errorf("%s: the page asks for %q", name, value)
				}
			}
		}
		if strings.Contains(pageCSS, "url(") || strings.Contains(pageCSS, "@import") || strings.Contains(pageJS, "fetch(") {
			t.Error("style or script ask for something")
		}
	}
}

// Names that look like markup stay names.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	page := hostilePage()
	body, _ := taken(page)
	for _, bad := range []string{"<script>alert", "<img", "<b onmouseover", "onerror=alert(1)>", "\u202e", "\u202c", "\u2028", "\x00"} {
		if strings.Contains(body, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if !strings.Contains(body, "&lt;script&gt;alert(1)&lt;/script&gt;") || !strings.Contains(body, "שרת עם שם ארוך") {
		t.Error("names are lost")
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// Every text of the results is in the page, in the order that a reader needs: answer, warnings, tables, the rest.
func TestEverythingIsThere(t *testing.T) {
	t.Parallel()
	r := oneTarget()
	page, _ := taken(oneTargetPage())
	page = html.UnescapeString(tags.ReplaceAllString(page, ""))
	page = strings.ReplaceAll(page, "\u00a0", " ")
	var check func(where string, v reflect.Value)
	check = func(where string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if c, ok := v.Interface().(*table.Comparisons); ok && c != nil {
				for _, l := range c.Lines {
					if l.Claim != nil && !strings.Contains(page, said(l.Claim)[:strings.Index(said(l.Claim), " n=")]) {
						t.Errorf("%s: %q is not in the page", where, said(l.Claim))
					}
				}
			} else if !v.IsNil() {
				check(where, v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if name := v.Type().Field(i).Name; v.Type().Field(i).IsExported() && name != "ID" && name != "Kind" && name != "Summary" {
					check(where+"."+name, v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				check(fmt.Sprintf("%s[%d]", where, i), v.Index(i))
			}
		case reflect.String:
			if s := v.String(); !strings.Contains(page, s) {
				t.Errorf("%s: %q is not in the page", where, s)
			}
		}
	}
	check("results", reflect.ValueOf(r).Elem())
	at := 0
	for _, text := range []string{
		r.Question, r.Answer, r.Warnings[0], r.Targets[0].Answer, r.Targets[0].Warnings[0], r.Targets[0].Unplanned[0], r.Targets[0].Headline.Title,
		"QPS over threads", r.Targets[0].Why.Moved[0], r.Targets[0].Costs.Title, r.Targets[0].Published[0].Text,
		r.Plan.Host, r.Notes[0],
	} {
		i := strings.Index(page[at:], text)
		if i < 0 {
			t.Fatalf("%q is not behind what should be before it", text)
		}
		at += i
	}
}

// A study of one target says its answer once, and one with nothing measured yet has a page, too.
func TestSmallStudies(t *testing.T) {
	t.Parallel()
	r := oneTarget()
	r.Targets[0].Answer = r.Answer
	page, _ := taken(written(t, r))
	if n := strings.Count(page, unbroken(r.Answer)); n != 1 {
		t.Errorf("the answer is there %d times", n)
	}
	if strings.Contains(page, "<nav") {
		t.Error("one target has a list of targets")
	}
	r.Plan.Quick, r.Plan.Finished, r.Plan.Rounds = true, false, 3
	page, _ = taken(written(t, r))
	for _, want := range []string{">a quick look, not an answer<", ">not finished: 3 of 10 rounds<"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	empty := &findings.Results{Study: "s", Answer: "Nothing can be said yet: no run.", Targets: []findings.Target{{Name: "a"}, {
		Name: "b", Headline: &table.Comparisons{Title: "no lines"}, Charts: []findings.Chart{{ID: "c", Kind: "other"}},
	}}}
	if page, _ := taken(written(t, empty)); !strings.Contains(page, empty.Answer) {
		t.Error("the answer is lost")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	if err := Write(broken{}, oneTarget(), Options{}); err == nil || err.Error() != "disk full" {
		t.Errorf("error %v", err)
	}
}

func TestUnbroken(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"it costs −12.9 % [−13.6, −12.1] of 1,024 QPS": "it costs −12.9\u00a0% [−13.6,\u00a0−12.1] of 1,024 QPS",
		"[+0.1, 2] and [a, b]":                         "[+0.1,\u00a02] and [a, b]",
	} {
		if got := unbroken(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
