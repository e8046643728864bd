package sysbench

import (
	"errors"
	"fmt"
	"sync"

	"deltabench/internal/sqldb"
)

// failures are those of threads while many run: mostly the same reason for all, which our face tells once, with the number
// of threads. It is safe for concurrent use.
type failures struct {
	mu   sync.Mutex
	list []failure
}

// failure is one reason.
type failure struct {
	text    string
	code    int // of the server or client, 0: none
	threads int
}

// collectFailures makes failures of threads be told together, until tellFailures. sysbench tells each.
func collectFailures(req *Request) {
	if req.Face == FaceDeltabench {
		req.failures = &failures{}
		req.Log.Once(true)
	}
}

// tellFailures writes each distinct failure since collectFailures once.
func tellFailures(req *Request) {
	f := req.failures
	if f == nil {
		return
	}
	req.failures = nil
	req.Log.Once(false)
	f.mu.Lock()
	defer f.mu.Unlock()
	same := map[string]int{}
	for _, x := range f.list {
		same[x.text]++
	}
	for _, x := range f.list {
		text := x.text
		if same[text] > 1 {
			text += fmt.Sprintf(", error %d", x.code)
		}
		if x.threads > 1 {
			text += " (and " + plural(x.threads-1, "more thread") + ")"
		}
		req.Log.Fatalf("%s", text)
	}
}

// add counts the failure of a thread.
func (f *failures) add(req *Request, function string, err error) {
	noteFailure(req, err)
	text := failureText(req, function, err)
	if text == "" {
		return
	}
	code := 0
	var e *sqldb.Error
	if errors.As(err, &e) {
		code = e.Code
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.list {
		if x := &f.list[i]; x.text == text && x.code == code {
			x.threads++
			return
		}
	}
	f.list = append(f.list, failure{text: text, code: code, threads: 1})
}
