package studypage

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"deltabench/internal/findings"
)

// Options of a page.
type Options struct {
	Generated time.Time // shown at the end; zero: not shown
}

//go:embed page/page.html
var pageHTML string

//go:embed page/target.html
var targetHTML string

//go:embed page/tables.html
var tablesHTML string

//go:embed page/page.css
var pageCSS string

//go:embed page/page.js
var pageJS string

//go:embed echarts/echarts.common.min.js
var echartsJS string

// Licences of what is in the page besides our own.
var (
	//go:embed echarts/NOTICE
	echartsNotice string
	//go:embed echarts/LICENSE
	echartsLicense string
	//go:embed echarts/LICENSE-d3
	d3License string
	//go:embed echarts/LICENSE-zrender
	zrenderLicense string
)

// templates are parsed when the first page is written: most commands write none.
var templates = sync.OnceValues(func() (*template.Template, error) {
	t := template.New("page").Funcs(template.FuncMap{
		"name": name, "text": unbroken, "swatch": swatch,
	})
	for _, text := range []string{pageHTML, targetHTML, tablesHTML} {
		if _, err := t.Parse(text); err != nil {
			return nil, fmt.Errorf("page of a study: %w", err)
		}
	}
	return t, nil
})

// policy forbids the page every request, and every script but its own two.
var policy = sync.OnceValue(func() string {
	hash := func(script string) string {
		sum := sha256.Sum256([]byte(script))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(echartsJS) + " " + hash(pageJS) +
		"; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
})

// Write writes the page. Names and texts of r may be anything. Nothing is written when the page cannot be made; errors
// of w are returned as they are.
func Write(w io.Writer, r *findings.Results, o Options) error {
	t, err := templates()
	if err != nil {
		return err
	}
	v, err := newView(r, o)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "page", v); err != nil {
		return fmt.Errorf("page of study %s: %w", r.Name, err)
	}
	_, err = turners().WriteString(w, b.String())
	return err
}

// turners replaces characters that turn the direction of the text behind them, or end lines: names could make other text look
// like what it is not. Names of languages that are written from right to left need none of them.
var turners = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for _, r := range "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" {
		pairs = append(pairs, string(r), " ")
	}
	return strings.NewReplacer(pairs...)
})

// name is a name that may be broken at its underscores, and does not turn the text around it when it is written from right
// to left.
func name(s string) template.HTML {
	return template.HTML("<bdi>" + strings.ReplaceAll(template.HTMLEscapeString(s), "_", "_<wbr>") + "</bdi>")
}

var interval = regexp.MustCompile(`(\[[−+]?[\d.,]+,) ([−+]?[\d.,]+\])`)

// unbroken keeps numbers with their unit, and intervals, in one line.
func unbroken(s string) string {
	return interval.ReplaceAllString(strings.ReplaceAll(s, " %", "\u00a0%"), "$1\u00a0$2")
}

// swatch is a style's line and symbol as a small picture.
func swatch(style int) template.HTML {
	color := fmt.Sprintf("var(--s%d)", style%styleCount)
	dash := ""
	if style < 0 {
		color, dash = "var(--base)", ` stroke-dasharray="5 3"`
	}
	outline, hollow := symbol(style).shape()
	d := []string{
		"M3.5 0A3.5 3.5 0 1 1 -3.5 0A3.5 3.5 0 1 1 3.5 0Z", "M-3.5 -3.5H3.5V3.5H-3.5Z", "M-4 3.5H4L0 -4Z", "M-4.5 0L0 -4.5L4.5 0L0 4.5Z",
	}[outline]
	fill := color
	if hollow {
		fill = "var(--card)"
	}
	return template.HTML(fmt.Sprintf(`<svg class="sw" viewBox="-14 -6 28 12" aria-hidden="true"><path d="M-14 0H14" style="stroke:%s"%s/>`+
		`<path d="%s" style="stroke:%s;fill:%s"/></svg>`, color, dash, d, color, fill))
}
