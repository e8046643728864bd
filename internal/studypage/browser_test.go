package studypage

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a browser on a busy machine may take for one test.
const patience = 3 * time.Minute

// browser is one headless Chromium for all tests of the package; TestMain ends it.
var browser struct {
	once   sync.Once
	ctx    context.Context
	cancel []context.CancelFunc
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.ctx != nil && browser.err == nil {
		if err := chromedp.Cancel(browser.ctx); err != nil { // waits until it has ended, and its directory is removed
			fmt.Fprintln(os.Stderr, "end Chromium:", err)
		}
	}
	for _, cancel := range slices.Backward(browser.cancel) {
		cancel()
	}
	os.Exit(code)
}

func startBrowser() {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		browser.err = fmt.Errorf("no Chromium on PATH; `make deps` installs it")
		return
	}
	// Without a sandbox: it needs privileges that root in a container has not, and the page is ours.
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.Flag("headless", "new"),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(patience))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	browser.cancel = append(browser.cancel, cancel)
	browser.ctx, cancel = chromedp.NewContext(ctx)
	browser.cancel = append(browser.cancel, cancel)
	// A time limit on the context would end the browser, not only its start.
	late := time.AfterFunc(patience, cancel)
	browser.err = chromedp.Do(browser.ctx)
	late.Stop()
}

// action is a step that returns nothing.
type action = chromedp.Action[chromedp.Void]

// command is a command of the protocol as a step.
func command[P, R any](c cdp.Command[P, R], params P) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// tab is a page in the browser, with all that it complained about and asked for.
type tab struct {
	*testing.T
	ctx context.Context
	url string
	mu  sync.Mutex
	bad []string // messages on the console, exceptions, requests
}

// open opens a page; before are actions on the empty tab.
func open(t *testing.T, content string, before ...action) *tab {
	t.Helper()
	browser.once.Do(startBrowser)
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	file := filepath.Join(t.TempDir(), "study.html")
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser.ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx, url: (&url.URL{Scheme: "file", Path: file}).String()}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.run(command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}))
	b.run(before...)
	b.run(chromedp.Navigate(b.url))
	return b
}

func (b *tab) listen(event any) {
	complain := func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.bad = append(b.bad, fmt.Sprintf(format, args...))
	}
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		complain("exception: %s", e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		text, _ := json.Marshal(e.Args)
		complain("console %s: %s", e.Type, text)
	case *log.EventEntryAdded:
		complain("log: %s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; u != b.url && !strings.HasPrefix(u, "data:") {
			complain("request: %s", u)
		}
	case *page.EventJavascriptDialogOpening:
		complain("dialog: %s", e.Message)
	}
}

func (b *tab) run(steps ...action) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// ask evaluates an expression.
func ask[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%v: %s", err, expression)
	}
	return v
}

// started waits until the page's script is through.
func (b *tab) started() {
	b.Helper()
	b.run(chromedp.Poll[chromedp.Void]("document.documentElement.dataset.ready === 'true'", chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(50*time.Millisecond)))
}

// quiet fails when the page complained or asked for anything.
func (b *tab) quiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.bad) > 0 {
		b.Errorf("the page is not quiet:\n%s", strings.Join(b.bad, "\n"))
	}
}

// picture keeps a screenshot of the whole page where DELTABENCH_SCREENSHOTS says.
func (b *tab) picture(name string) {
	b.Helper()
	dir := os.Getenv("DELTABENCH_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.Fatal(err)
	}
	b.keep(dir, name+".png", png)
}

func (b *tab) keep(dir, name string, content []byte) {
	b.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
		b.Fatal(err)
	}
}

// media makes the browser believe in a medium ("" for the screen), and in a system that is light or dark.
func media(name, scheme string) action {
	return command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: name, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

func size(width, height int64, mobile bool) action {
	return command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: mobile,
	})
}
