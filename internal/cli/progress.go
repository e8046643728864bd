package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"deltabench/internal/conduct"
	"deltabench/internal/study"
)

// progress shows how a study goes on: one line that changes on a terminal, lines elsewhere.
type progress struct {
	w     io.Writer
	live  bool
	width int

	mu    sync.Mutex
	shown bool // a line that changes is on the screen
	where string
}

// newProgress returns a display for a stream.
func newProgress(w io.Writer, getenv func(string) string, plain bool) *progress {
	p := &progress{w: w, width: 80}
	out := w
	for {
		u, ok := out.(interface{ Unwrap() io.Writer })
		if !ok {
			break
		}
		out = u.Unwrap()
	}
	if f, ok := out.(interface{ Fd() uintptr }); ok && !plain && getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())) {
		p.live = true
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
			p.width = width
		}
	}
	return p
}

// rate is the throughput of an event in what the study is judged by.
func rate(e conduct.Event) string {
	if e.Metric == "tps" {
		return fmt.Sprintf("TPS %.0f", e.TPS)
	}
	return fmt.Sprintf("QPS %.0f", e.QPS)
}

// line prints a line that stays.
func (p *progress) line(format string, args ...any) {
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

// status replaces the line that changes; nothing happens where there is none.
func (p *progress) status(text string) {
	if !p.live {
		return
	}
	if r := []rune(text); len(r) >= p.width {
		text = string(r[:p.width-1])
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
	p.shown = true
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// end leaves the screen in order.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// observe takes an event. It may be called by several goroutines.
func (p *progress) observe(e conduct.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case conduct.StudyStarted:
		if e.Text != "" {
			p.line("%s", e.Text)
		}
	case conduct.TargetPreparing:
		p.line("prepare %s", e.Text)
	case conduct.StepStarted:
		p.where = e.Key.Scenario
		if e.Key.Target != "" {
			p.where = e.Key.Target + ", " + e.Key.Scenario
		}
		p.status(fmt.Sprintf("round %d  %s: %s", e.Step.Round, p.where, orDefault(e.Text, "start")))
	case conduct.EqualLoadStarted:
		p.line("equal load: %s", e.Text)
	case conduct.RunStarted:
		p.status(p.head(e) + left(e))
	case conduct.RunSecond:
		p.status(fmt.Sprintf("%s  %d s  %s  p95 %.2f ms%s", p.head(e), e.Second, rate(e), e.P95, left(e)))
	case conduct.RunFinished:
		switch {
		case e.Err != nil:
			p.line("%s  failed: %s", p.head(e), e.Err)
		case !p.live:
			p.line("%s  %s%s", p.head(e), rate(e), left(e))
		}
	case conduct.RoundFinished:
		text := fmt.Sprintf("round %d done", e.Step.Round)
		if e.Text != "" {
			text += ": " + e.Text
		}
		p.line("%s%s", text, left(e))
	case conduct.Warned:
		p.line("warning: %s", e.Text)
	case conduct.StudyStopped:
		p.line("%s", e.Text)
	}
}

func orDefault(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// head is where a run is.
func (p *progress) head(e conduct.Event) string { return keyText(e.Key) }

// keyText names a run for people.
func keyText(k study.Key) string {
	var b strings.Builder
	fmt.Fprintf(&b, "round %d  ", k.Round)
	if k.Target != "" {
		fmt.Fprintf(&b, "%s, ", k.Target)
	}
	fmt.Fprintf(&b, "%s  %s  %s", k.Scenario, k.Workload, counted(k.Threads, "thread"))
	if k.Share > 0 {
		fmt.Fprintf(&b, " at %.0f %% of the peak", 100*k.Share)
	}
	return b.String()
}

// left is how far the study is.
func left(e conduct.Event) string {
	if e.Total == 0 {
		return ""
	}
	text := fmt.Sprintf("  [%d of %d runs", e.Done, e.Total)
	if e.Left > 0 {
		text += ", " + leftText(e.Left) + " left"
	}
	return text + "]"
}

// leftText is a time to go, in two units at most.
func leftText(d time.Duration) string {
	d = d.Round(time.Second)
	if d >= time.Hour {
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	if d >= time.Minute {
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%ds", int(d.Seconds()))
}
