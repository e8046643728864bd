package option

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func testSet() *Set {
	return NewSet(
		Spec{Name: "threads", Type: Int, Default: "1"},
		Spec{Name: "debug", Type: Bool, Default: "off"},
		Spec{Name: "thread-stack-size", Type: Size, Default: "64K"},
		Spec{Name: "rand-pareto-h", Type: Double, Default: "0.2"},
		Spec{Name: "mysql-host", Type: List, Default: "localhost"},
		Spec{Name: "mysql-db", Type: String, Default: "sbtest"},
		Spec{Name: "mysql-ssl-mode", Type: String, Default: "disabled", Bare: "on"},
		Spec{Name: "config-file", Type: File, NoDefault: true},
	)
}

func TestParseArg(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		arg, name, raw string
		want           Outcome
	}{
		{"--threads=4", "threads", "4", Stored},
		{"--threads=", "threads", "", Stored},
		{"--threads", "threads", "", Stored},
		{"--threads=a=b", "threads", "a=b", Stored},
		{"--thread_stack-size=1M", "thread-stack-size", "1M", Stored},
		{"--debug", "debug", "on", Stored},
		{"--debug=1", "debug", "on", Stored},
		{"--debug=true", "debug", "on", Stored},
		{"--debug=false", "debug", "", Stored},
		{"--debug=", "debug", "", Invalid},
		{"--debug=ON", "debug", "", Invalid},
		{"--mysql-host=x,,y", "mysql-host", "x,y", Stored},
		{"--mysql-host=,", "mysql-host", "", Stored},
		{"--mysql-host= a,b", "mysql-host", " a,b", Stored},
		{"--mysql-ssl-mode", "mysql-ssl-mode", "on", Stored},
		{"--mysql-ssl-mode=", "mysql-ssl-mode", "", Stored},
		{"--Threads=4", "threads", "1", Unknown},
		{"--thread=4", "threads", "1", Unknown},
		{"--", "threads", "1", Unknown},
		{"-threads=2", "threads", "1", Unknown},
	} {
		t.Run(tc.arg, func(t *testing.T) {
			t.Parallel()
			s := testSet()
			if got := s.ParseArg(tc.arg); got != tc.want {
				t.Errorf("outcome: got %v, want %v", got, tc.want)
			}
			if got := s.Raw(tc.name); got != tc.raw {
				t.Errorf("value: got %q, want %q", got, tc.raw)
			}
			if got, want := s.Given(tc.name), tc.want == Stored; got != want {
				t.Errorf("given: got %v, want %v", got, want)
			}
		})
	}
}

func TestInt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want int
		err  string
	}{
		{text: "5", want: 5},
		{text: " 5", want: 5},
		{text: "+5", want: 5},
		{text: "010", want: 10},
		{text: "-2147483648", want: -2147483648},
		{text: "", want: 0},
		{text: "5 ", err: "Invalid value for the 'thread_num' option: '5 '"},
		{text: "1.5", err: "Invalid value for the 'thread_num' option: '1.5'"},
		{text: "0x5", err: "Invalid value for the 'thread_num' option: '0x5'"},
		{text: "2147483648", err: "Invalid value for the 'thread_num' option: '2147483648'"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			s := NewSet(Spec{Name: "thread-num", Type: Int, Default: "7"})
			s.ParseArg("--thread-num=" + tc.text)
			got, err := s.Int("thread_num")
			if errText(err) != tc.err {
				t.Fatalf("error: got %q, want %q", errText(err), tc.err)
			}
			if got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
			if got := errText(s.Check()); got != tc.err {
				t.Errorf("Check: got %q, want %q", got, tc.err)
			}
		})
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint64{
		"": 0, "0": 0, "8": 8, "3kb": 3072, "1K": 1024, "1k": 1024, "2M": 2 << 20, "2g": 2 << 30, "1T": 1 << 40,
		"3q": 0, "1.5K": 0, "-5K": 0, "+5": 0, " 5": 0, "K": 0, "0x10": 0, "5b": 0,
		"18446744073709551616": math.MaxUint64, "16777217T": math.MaxUint64,
	} {
		if got := parseSize(text); got != want {
			t.Errorf("parseSize(%q): got %d, want %d", text, got, want)
		}
	}
}

func TestDouble(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"": 0, "abc": 0, "7.9": 7.9, " 7.9x": 7.9, "-.5": -.5, "5.": 5, ".": 0, "1e3": 1000, "1e": 1, "1e+": 1, "1e-2z": .01,
		"0x10": 16, "0x1.8p1": 3, "0x.8": .5, "0x": 0, "0xg": 0, "1_0": 1, "inf": math.Inf(1), "-infinityx": math.Inf(-1), "1e999": math.Inf(1),
	} {
		if got := parseDouble(text); got != want {
			t.Errorf("parseDouble(%q): got %v, want %v", text, got, want)
		}
	}
	if got := parseDouble("nan"); !math.IsNaN(got) {
		t.Errorf("parseDouble(nan): got %v", got)
	}
}

func TestDeclareReplacesValue(t *testing.T) {
	t.Parallel()
	s := testSet()
	s.ParseArg("--threads=4")
	s.Declare(Spec{Name: "threads", Type: Double, Default: "3"})
	if got := s.Raw("threads"); got != "3" {
		t.Errorf("value after a second declaration: got %q, want 3", got)
	}
	if s.Given("threads") {
		t.Error("given: got true after a second declaration")
	}
	if got := s.Specs(); got[0].Name != "threads" || got[0].Type != Double {
		t.Errorf("first spec: got %+v", got[0])
	}
}

func TestUndeclaredPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if got, want := recover(), `option "nosuch" is not declared`; got != want {
			t.Errorf("panic: got %v, want %q", got, want)
		}
	}()
	testSet().Int("nosuch")
}

func TestParseFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, option, want, err string }{
		{name: "plain", text: "threads=2\n", option: "threads", want: "2"},
		{name: "no newline at the end", text: "threads=2", option: "threads", want: "2"},
		{name: "underscore", text: "mysql_db=x\n", option: "mysql-db", want: "x"},
		{name: "last wins", text: "threads=2\nthreads=3\n", option: "threads", want: "3"},
		{name: "blank before =", text: "threads =2\n", option: "threads", want: "1"},
		{name: "blank before the name", text: " threads=2\n", option: "threads", want: "1"},
		{name: "dashes before the name", text: "--threads=2\n", option: "threads", want: "1"},
		{name: "blanks around the value", text: "threads= 2 \r\n", option: "threads", want: "2"},
		{name: "comment", text: "threads=2 # 3\n", option: "threads", want: "2"},
		{name: "# inside a value", text: "mysql-db=2#3\n", option: "mysql-db", want: "2#3"},
		{name: "= inside a value", text: "mysql-db=2=3\n", option: "mysql-db", want: "2=3"},
		{name: "emptied", text: "threads=\n", option: "threads", want: ""},
		{name: "boolean off is on", text: "debug=off\n", option: "debug", want: "off"},
		{name: "list by commas and blanks", text: "mysql-host=a b,c\n", option: "mysql-host", want: "a,b,c"},
		{name: "empty element", text: "mysql-host=a,,b\n", option: "mysql-host", want: "a,,b"},
		{name: "blank then comma", text: "mysql-host=a ,b\n", option: "mysql-host", want: "a,,b"},
		{name: "comma at the end", text: "mysql-host=a,\n", option: "mysql-host", want: "a"},
		{name: "quotes", text: "mysql-host=\"a b\",'c\"d'\n", option: "mysql-host", want: "a b,c\"d"},
		{name: "rest after a quote", text: "mysql-host=\"a\"b c,d\n", option: "mysql-host", want: "a,d"},
		{name: "rest after the last quote", text: "mysql-host=a 'b' c d\n", option: "mysql-host", want: "a,b"},
		{name: "open quote", text: "x=1\nmysql-host=a, 'b\nthreads=2\n", option: "mysql-host", want: "a", err: "unexpected EOL on line 2"},
		{name: "open quote stops the file", text: "mysql-host='b\nthreads=2\n", option: "threads", want: "1", err: "unexpected EOL on line 1"},
		{name: "long line", text: "mysql-db=" + strings.Repeat("x", 300) + "\n", option: "mysql-db", want: strings.Repeat("x", 246)},
		{name: "no =", text: "# threads\nthreads\n", option: "threads", want: "1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := testSet()
			err := s.ParseFile(strings.NewReader(tc.text))
			if errText(err) != tc.err {
				t.Errorf("error: got %q, want %q", errText(err), tc.err)
			}
			if got := s.Raw(tc.option); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFileBooleanIsOn(t *testing.T) {
	t.Parallel()
	s := testSet()
	if err := s.ParseFile(strings.NewReader("debug=off\n")); err != nil {
		t.Fatal(err)
	}
	if !s.Bool("debug") {
		t.Error("debug=off in a file: got off, want on (specification 1.8)")
	}
}

func TestUntyped(t *testing.T) {
	t.Parallel()
	s := testSet()
	if err := s.ParseFile(strings.NewReader("foo=3\nthreads =5\n")); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(s.Untyped(), "|"), "foo|threads "; got != want {
		t.Errorf("untyped: got %q, want %q", got, want)
	}
	if got := s.ParseArg("--foo=4"); got != Invalid {
		t.Errorf("an untyped option on the command line: got %v, want Invalid", got)
	}
	s.Declare(Spec{Name: "foo", Type: Int, Default: "9"})
	if got, err := s.Int("foo"); got != 9 || err != nil {
		t.Errorf("after a declaration: got %d, %v, want the default 9", got, err)
	}
}

type brokenReader struct{}

var errBroken = errors.New("broken")

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

func TestParseFileReadError(t *testing.T) {
	t.Parallel()
	if err := testSet().ParseFile(brokenReader{}); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

func TestAppendList(t *testing.T) {
	t.Parallel()
	got := string(AppendList(nil, []Spec{
		{Name: "threads", Desc: "number of threads", Type: Int, Default: "1"},
		{Name: "table_size", Desc: "rows", Type: Double, Default: ""},
		{Name: "secret-with-a-long-name", Desc: "x", Type: List, Hidden: true},
		{Name: "config-file", Desc: "file", Type: File, NoDefault: true},
		{Name: "debug", Desc: "more", Type: Bool, Default: "off"},
	}))
	want := "" +
		"  --threads=N            number of threads [1]\n" +
		"  --table_size=N         rows []\n" +
		"  --config-file=FILENAME file\n" +
		"  --debug[=on|off]       more [off]\n" +
		"\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
