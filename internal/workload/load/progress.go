package load

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// progressEvery is how often the line of progress is rewritten.
const progressEvery = 500 * time.Millisecond

// eraseLine returns to the start of a terminal's line and empties it.
const eraseLine = "\r\x1b[K"

// progress shows how far a load is, in one line of a terminal. Without a terminal it only counts.
type progress struct {
	total int64
	rows  atomic.Int64
	what  atomic.Value // string: what is being done
	start time.Time
	w     io.Writer
	end   chan struct{}
	wg    sync.WaitGroup
}

func startProgress(w io.Writer, total int64, threads int) *progress {
	p := &progress{total: total, start: time.Now(), w: w, end: make(chan struct{})}
	p.what.Store(fmt.Sprintf("%d connections", threads))
	if w == nil {
		return p
	}
	p.wg.Go(func() {
		t := time.NewTicker(progressEvery)
		defer t.Stop()
		for {
			_, _ = io.WriteString(w, eraseLine+p.line(time.Since(p.start))) // whoever owns the terminal learns of errors
			select {
			case <-t.C:
			case <-p.end:
				_, _ = io.WriteString(w, eraseLine)
				return
			}
		}
	})
	return p
}

// stop removes the line.
func (p *progress) stop() {
	close(p.end)
	p.wg.Wait()
}

func (p *progress) add(rows int64) { p.rows.Add(rows) }

// table and indexing say what is being done.
func (p *progress) table(name string)    { p.what.Store(name) }
func (p *progress) indexing(name string) { p.what.Store("index of " + name) }

// line is the text after some time.
func (p *progress) line(elapsed time.Duration) string {
	n := p.rows.Load()
	text := fmt.Sprintf("Loading %s: %d of %d rows", p.what.Load(), n, p.total)
	if p.total > 0 {
		text += fmt.Sprintf(" (%d %%)", n*100/p.total)
	}
	rate := float64(n) / elapsed.Seconds()
	if n == 0 || elapsed <= 0 || n >= p.total {
		return text
	}
	left := time.Duration(float64(p.total-n) / rate * float64(time.Second))
	return text + fmt.Sprintf(", %.0f rows/s, %s left", rate, clock(left))
}

// clock writes a duration as h:mm:ss or m:ss.
func clock(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
