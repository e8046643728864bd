package studypage

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// drawn are the series that the page's charts have now: y by x of each, as page.js gave them to ECharts.
const drawn = `[...document.querySelectorAll("figure.on .live")].map(e => ({
	id: e.closest("figure").id.slice(6),
	series: echarts.getInstanceByDom(e).getOption().series
		.filter(s => s.id !== "ground").map(s => ({id: s.id, name: s.name, data: s.data})),
}))`

type drawnChart struct {
	ID     string `json:"id"`
	Series []struct {
		ID   string        `json:"id"`
		Name string        `json:"name"`
		Data [][2]*float64 `json:"data"`
	} `json:"series"`
}

func TestBrowserCharts(t *testing.T) {
	t.Parallel()
	r := sampleResults()
	r.Targets[0].Charts[0].Series[1].Points[3].Y = math.NaN() // a cell that failed
	r.Targets[0].Charts[0].Series[1].Points[3].Low = math.NaN()
	r.Targets[0].Charts[0].Series[1].Points[3].High = math.NaN()
	b := open(t, written(t, r), size(1280, 900, false), media("", "light"))
	b.started()
	b.picture("light")
	charts := ask[[]drawnChart](b, drawn)
	text := ask[string](b, `document.getElementById("data").textContent`)
	var pictures []picture
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "null", "-1e99")), &pictures); err != nil {
		t.Fatal(err)
	}
	if len(charts) != 18 || len(pictures) != 18 {
		t.Fatalf("%d charts are drawn of %d pictures; the study has 18", len(charts), len(pictures))
	}
	for i, c := range charts {
		p := pictures[i]
		if c.ID != p.ID || len(c.Series) != 3*len(p.Series) {
			t.Fatalf("chart %s with %d series stands for picture %s with %d", c.ID, len(c.Series), p.ID, len(p.Series))
		}
		for k, s := range p.Series {
			low, width, main := c.Series[3*k], c.Series[3*k+1], c.Series[3*k+2]
			for n, q := range s.Points {
				where := fmt.Sprintf("chart %s, %s, x = %g", c.ID, s.Name, float64(q.X))
				same(t, where, main.Data[n][0], p.X.at(float64(q.X)))
				if q.Y == -1e99 {
					if main.Data[n][1] != nil || low.Data[n][1] != nil {
						t.Errorf("%s: unknown, but drawn", where)
					}
					continue
				}
				same(t, where+", y", main.Data[n][1], p.Y.at(float64(q.Y)))
				same(t, where+", low", low.Data[n][1], p.Y.at(float64(q.Low)))
				same(t, where+", high", new(*low.Data[n][1]+*width.Data[n][1]), p.Y.at(float64(q.High)))
			}
		}
	}
	b.quiet()
}

func same(t *testing.T, where string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: %v is drawn, %g is in the page's data", where, got, want)
	}
}

func TestBrowserPointer(t *testing.T) {
	t.Parallel()
	b := open(t, oneTargetPage(), size(1280, 900, false))
	b.started()
	show := `(() => {
		const e = document.querySelector("#chart-t1-w0-change .live");
		e.scrollIntoView();
		echarts.getInstanceByDom(e).dispatchAction({type: "showTip", seriesIndex: 3, dataIndex: 5});
		return [...document.querySelectorAll(".balloon")].map(e => e.textContent).join("");
	})()`
	text := ask[string](b, show)
	change := sampleResults().Targets[0].Charts[2]
	for _, s := range change.Series {
		if want := s.Name + s.Points[5].Text; !strings.Contains(text, want) {
			t.Errorf("the balloon at 32 threads does not say %q: %s", want, text)
		}
	}
	if !strings.HasPrefix(text, "32 threads") {
		t.Errorf("the balloon does not begin with where it is: %s", text)
	}
	b.picture("tooltip")

	// A button of the legend hides the series in all three charts of the workload, and in no other.
	selected := ask[[]map[string]bool](b, `document.querySelector('.charts button[data-style="4"]').click();
		[...document.querySelectorAll(".live")].map(e => echarts.getInstanceByDom(e).getOption().legend[0].selected)`)
	for i, s := range selected {
		name := "s5"
		if i%3 == 2 {
			name = "s4" // changes have no line of the baseline
		}
		shown, set := s[name]
		if hidden := set && !shown; hidden != (i < 3) {
			t.Errorf("chart %d: series %s hidden = %v after a click into the first legend", i, name, hidden)
		}
	}
	text = ask[string](b, show)
	if strings.Contains(text, "pfson_conon_inson") {
		t.Errorf("the balloon tells of a hidden series: %s", text)
	}
	if hidden := ask[string](b, `document.querySelector('.charts button[aria-pressed="false"]').textContent`); hidden != "pfson_conon_inson" {
		t.Errorf("the button pressed is %q's", hidden)
	}
	b.quiet()
}

// contrasts are the lowest contrasts of texts with what lies behind them, by selector, as WCAG 2 computes them, and those of
// the colours of charts.
const contrasts = `(() => {
	const parse = c => c.match(/[\d.]+/g).map(Number);
	const light = c => { const [r, g, b] = parse(c).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
	const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor, p = parse(c);
		if (p.length < 4 || p[3] > 0) return c; } return "rgb(255, 255, 255)"; };
	const out = {};
	for (const s of ["h1", ".answer", ".muted", ".facts-line", ".chip", "h2", "h3", "h4", ".warn li", ".warn summary", "th", "td", "td small", ".d", ".i", ".w", "a",
		".foot", "figcaption", "figcaption span", "summary", "button", ".labels", "dt", "dd", "footer"])
		for (const e of document.querySelectorAll(s))
			out[s] = Math.min(out[s] ?? 99, ratio(getComputedStyle(e).color, behind(e)));
	const probe = document.querySelector("section.target").appendChild(document.createElement("i"));
	for (const n of ["base", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"]) {
		probe.style.color = "var(--" + n + ")";
		out["--" + n] = ratio(getComputedStyle(probe).color, behind(probe));
	}
	probe.remove();
	return out;
})()`

func TestBrowserThemes(t *testing.T) {
	t.Parallel()
	b := open(t, oneTargetPage(), size(1280, 900, false), media("", "dark"))
	b.started()
	check := func(theme string) {
		t.Helper()
		values := ask[map[string]float64](b, contrasts)
		for name, v := range values {
			least := 4.5
			if strings.HasPrefix(name, "--") {
				least = 3 // lines and symbols
			}
			if v < least {
				t.Errorf("%s: contrast of %s is %.2f; %.1f is the least", theme, name, v, least)
			}
		}
		if len(values) < 30 {
			t.Errorf("%s: only %d contrasts: the page lacks what they are of", theme, len(values))
		}
	}
	background := func() string {
		t.Helper()
		return ask[string](b, `getComputedStyle(document.body).backgroundColor`)
	}
	// line is the colour of a chart's line, button what the toggle offers.
	line := func() (color, button string) {
		t.Helper()
		color = ask[string](b, `echarts.getInstanceByDom(document.querySelector(".live")).getOption().series.find(s => s.id === "line1").lineStyle.color`)
		return color, ask[string](b, `document.getElementById("theme").textContent`)
	}
	dark := background()
	darkLine, button := line()
	if button != "Light" {
		t.Errorf("in the dark the toggle offers %q", button)
	}
	check("dark")
	b.picture("dark")
	ask[chromedp.Void](b, `document.getElementById("theme").click()`)
	light := background()
	lightLine, button := line()
	if light == dark || lightLine == darkLine || button != "Dark" {
		t.Errorf("after the toggle: background %s (before: %s), line %s (before: %s), button %q", light, dark, lightLine, darkLine, button)
	}
	check("light")
	b.run(chromedp.Reload())
	b.started()
	if now := background(); now != dark {
		t.Errorf("the toggle is remembered: background %s after reload, the system's is %s", now, dark)
	}
	b.quiet()
}

func TestBrowserWithoutScript(t *testing.T) {
	t.Parallel()
	b := open(t, oneTargetPage(), size(1280, 900, false), command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	b.picture("without-script")
	// The protocol can ask although the page may not execute anything.
	drawings := ask[int](b, `[...document.querySelectorAll("figure .static svg")].filter(e => e.checkVisibility() && e.getBoundingClientRect().width > 200).length`)
	live := ask[int](b, `[...document.querySelectorAll("figure .live")].filter(e => e.checkVisibility()).length`)
	toggle := ask[int](b, `[...document.querySelectorAll("#theme")].filter(e => e.checkVisibility()).length`)
	tall := ask[int](b, `[...document.querySelectorAll("figure .static svg text")].filter(e => e.getBoundingClientRect().height > 5).length`)
	if drawings != 9 || live != 0 || toggle != 0 || tall < 9*10 {
		t.Errorf("without JavaScript: %d drawings with %d texts, %d places of charts, %d toggles; want 9, at least 90, 0, 0", drawings, tall, live, toggle)
	}
	b.quiet()
}

func TestBrowserNarrow(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"sample": oneTargetPage(), "hostile": hostilePage()} {
		t.Run(name, func(t *testing.T) {
			b := open(t, content, size(375, 812, true))
			b.started()
			if name == "sample" {
				b.picture("mobile")
			}
			ask[chromedp.Void](b, `document.querySelectorAll("details").forEach(d => { d.open = true; })`)
			width := ask[float64](b, `document.documentElement.scrollWidth`)
			if width > 375 {
				who := ask[[]string](b, `[...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll") && e.getBoundingClientRect().right > 376)
					.slice(0, 8).map(e => e.tagName + "." + (e.className.baseVal ?? e.className) + " " + e.textContent.slice(0, 60))`)
				t.Errorf("the page is %g px wide on a screen of 375: %q", width, who)
			}
			stays := ask[bool](b, `(() => { const box = [...document.querySelectorAll(".scroll")].find(e => e.scrollWidth > e.clientWidth + 50);
				const cell = box.querySelector("tbody th"), before = cell.getBoundingClientRect().left;
				box.scrollLeft = 40;
				return Math.abs(cell.getBoundingClientRect().left - before) < 2; })()`)
			if !stays {
				t.Error("the first column scrolls away")
			}
			b.quiet()
		})
	}
}

func TestBrowserPaper(t *testing.T) {
	t.Parallel()
	b := open(t, oneTargetPage(), size(1280, 900, false), media("", "dark"))
	b.started()
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground()))
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("DELTABENCH_SCREENSHOTS"); dir != "" {
		b.keep(dir, "paper.pdf", pdf)
	}
	pages := strings.Count(string(pdf), "/Type /Page\n")
	if !strings.HasPrefix(string(pdf), "%PDF-") || pages < 3 || pages > 40 {
		t.Errorf("a PDF of %d bytes with %d pages", len(pdf), pages)
	}

	// What the paper has, asked of the page as if it were one: 186 mm at 96 dots per inch.
	b.run(size(703, 900, false), media("print", "dark"))
	ask[chromedp.Void](b, `dispatchEvent(new Event("beforeprint"))`)
	b.picture("paper")
	type onPaper struct {
		Text     string   `json:"text"`
		Back     string   `json:"back"`
		Drawings int      `json:"drawings"`
		Buttons  int      `json:"buttons"`
		Wide     []string `json:"wide"`
	}
	paper := ask[onPaper](b, `({
		text: getComputedStyle(document.body).color, back: getComputedStyle(document.body).backgroundColor,
		drawings: [...document.querySelectorAll(".static svg")].filter(e => e.checkVisibility()).length,
		buttons: [...document.querySelectorAll("#theme, nav, .live")].filter(e => e.checkVisibility()).length,
		wide: [...document.querySelectorAll("table")].filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1)
			.map(e => e.getBoundingClientRect().right + " " + e.textContent.slice(0, 80)),
	})`)
	if paper.Text != "rgb(0, 0, 0)" || paper.Back != "rgb(255, 255, 255)" {
		t.Errorf("paper is %s on %s", paper.Text, paper.Back)
	}
	if paper.Drawings != 9 || paper.Buttons != 0 || len(paper.Wide) > 0 {
		t.Errorf("paper has %d drawings (want 9), %d things to press, tables that are cut off: %q", paper.Drawings, paper.Buttons, paper.Wide)
	}
	b.quiet()
}

func TestBrowserHostileNames(t *testing.T) {
	t.Parallel()
	b := open(t, hostilePage(), size(1280, 900, false))
	b.started()
	b.picture("hostile")
	started := ask[int](b, `document.querySelectorAll("figure.on").length`)
	tipped := ask[int](b, `[...document.querySelectorAll(".live")].map(e => echarts.getInstanceByDom(e)).filter(c => {
		c.dispatchAction({type: "showTip", seriesIndex: 3, dataIndex: 0});
		document.querySelectorAll(".charts button").forEach(e => e.dispatchEvent(new MouseEvent("mouseenter")));
		return [...document.querySelectorAll(".balloon")].some(e => e.textContent.includes("<script>alert(1)</script>"));
	}).length`)
	if n := len(hostileResults().Targets[0].Charts); started != n || tipped != n {
		t.Errorf("%d charts started, %d have balloons with the name as it is; want %d", started, tipped, n)
	}
	alien := ask[int](b, `document.querySelectorAll("b i, img, script[src], main script, [onerror]").length`)
	if alien != 0 {
		t.Errorf("%d elements came out of names", alien)
	}
	b.quiet()
}
