package sysbench

import (
	"bytes"
	"errors"
	"testing"

	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// Threads that fail for the same reason are told once on our face, and each by sysbench.
func TestFailuresOfThreads(t *testing.T) {
	failed := func(code int) error {
		return &workload.ScriptError{Position: "oltp_common.lua:284", Text: "SQL API error", Err: &sqldb.Error{Code: code}}
	}
	for _, c := range []struct {
		face Face
		errs []error
		want string
	}{
		{FaceDeltabench, []error{failed(1146)}, "FATAL: `thread_init' function failed: SQL API error\n"},
		{FaceDeltabench, []error{failed(1146), failed(1146), failed(1146)}, "FATAL: `thread_init' function failed: SQL API error (and 2 more threads)\n"},
		{
			FaceDeltabench,
			[]error{failed(1146), failed(1461), failed(1146), errors.New("x")},
			"FATAL: `thread_init' function failed: SQL API error, error 1146 (and 1 more thread)\n" +
				"FATAL: `thread_init' function failed: SQL API error, error 1461\nFATAL: `thread_init' function failed: x\n",
		},
	} {
		var out bytes.Buffer
		req := &Request{Face: c.face, Test: TestNamed("oltp_read_write"), Database: &Database{}, General: &General{}, Log: textlog.New(&out, textlog.Notice)}
		collectFailures(req)
		for _, err := range c.errs {
			req.failures.add(req, "thread_init", err)
		}
		tellFailures(req)
		if out.String() != c.want || req.failures != nil {
			t.Errorf("got %q, want %q", out.String(), c.want)
		}
	}
	req := &Request{Face: FaceSysbench}
	if collectFailures(req); req.failures != nil {
		t.Error("sysbench tells each failure")
	}
}

func TestLogOnce(t *testing.T) {
	var out bytes.Buffer
	log := textlog.New(&out, textlog.Notice)
	log.Once(true)
	for i := range 4 {
		log.Fatalf("a")
		log.Fatalf("b %d", i/2)
		log.Noticef("n")
	}
	log.Once(false)
	log.Fatalf("a")
	if want := "FATAL: a\nFATAL: b 0\nn\n(last message repeated 1 times)\nFATAL: b 1\nn\n(last message repeated 1 times)\nFATAL: a\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestWordsInMessagesAreOneLine(t *testing.T) {
	for _, c := range []struct {
		face       Face
		word, want string
	}{{FaceDeltabench, "a\nb", `a\nb`}, {FaceDeltabench, "ä b", "ä b"}, {FaceSysbench, "a\nb", "a\nb"}} {
		if got := (&session{env: Env{Face: c.face}}).shown(c.word); got != c.want {
			t.Errorf("%q: got %q, want %q", c.word, got, c.want)
		}
	}
}
