package workload

import (
	"errors"
	"io"
	"testing"

	"deltabench/internal/option"
	"deltabench/internal/textlog"
)

func TestValuesOf(t *testing.T) {
	specs := []option.Spec{
		{Name: "an-int", Type: option.Int, Default: "3"},
		{Name: "a_size", Type: option.Size, Default: "2K"},
		{Name: "a-double", Type: option.Double, Default: "1.5"},
		{Name: "on", Type: option.Bool, Default: "on"},
		{Name: "text", Type: option.String, NoDefault: true},
		{Name: "list", Type: option.List, Default: "a,b"},
	}
	set := option.NewSet(specs...)
	set.SetText("a-double", "2.75x")
	set.SetText("text", "hello")
	v, err := ValuesOf(set, specs)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Int("an_int"); got != 3 {
		t.Errorf("int: %d", got)
	}
	if got := v.Size("a_size"); got != 2048 {
		t.Errorf("size: %d", got)
	}
	if got := v.Float("a_double"); got != 2.75 {
		t.Errorf("double: %g", got)
	}
	if !v.Bool("on") || v.String("text") != "hello" || v.String("a_size") != "2K" {
		t.Errorf("bool, string, text of a size: %+v", v)
	}
	if got := v.List("list"); len(got) != 2 || got[1] != "b" {
		t.Errorf("list: %q", got)
	}
	if v.Has("other") || !v.Has("text") {
		t.Error("Has is wrong")
	}
	set.SetText("an-int", "1.5")
	var e *option.ValueError
	if _, err := ValuesOf(set, specs); !errors.As(err, &e) {
		t.Errorf("bad number: got %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an undeclared name goes unnoticed")
		}
	}()
	v.Int("other")
}

type plainRun struct{}

func (plainRun) Mode(*textlog.Log)                    {}
func (plainRun) Thread(ThreadContext) (Worker, error) { return nil, nil }

type specialRun struct{ plainRun }

func (specialRun) Limits() Limits { return Limits{Events: 1, PerThread: 2} }
func (specialRun) Blocking() bool { return true }

func TestAbilities(t *testing.T) {
	s := Setup{EventsLimit: 9}
	if got, want := LimitsOf(plainRun{}, s), (Limits{Events: 9, PerThread: -1}); got != want {
		t.Errorf("plain run: %+v, want %+v", got, want)
	}
	if got, want := LimitsOf(specialRun{}, s), (Limits{Events: 1, PerThread: 2}); got != want {
		t.Errorf("special run: %+v, want %+v", got, want)
	}
	if IsBlocking(plainRun{}) || !IsBlocking(specialRun{}) {
		t.Error("IsBlocking is wrong")
	}
}

func TestPerSecond(t *testing.T) {
	if got := (Totals{Events: 5, Seconds: 2}).PerSecond(); got != 2.5 {
		t.Errorf("got %g", got)
	}
	if got := (Totals{Events: 5}).PerSecond(); got != 0 {
		t.Errorf("without time: got %g", got)
	}
}

func TestScriptError(t *testing.T) {
	for _, c := range []struct {
		err  ScriptError
		want string
	}{
		{ScriptError{Text: "text", Err: io.EOF}, "text"},
		{ScriptError{Err: io.EOF}, "EOF"},
		{ScriptError{}, ""},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.err, got, c.want)
		}
	}
	if !errors.Is(&ScriptError{Text: "text", Err: io.EOF}, io.EOF) {
		t.Error("the cause is lost")
	}
}
