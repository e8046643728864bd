package optionfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// texts are files with what MariaDB's my_print_defaults makes of their group [client]; an empty want is a refusal.
var texts = []struct {
	name, text string
	want       []string
}{
	{"plain", "[client]\nuser = bob\n", []string{"user=bob"}},
	{"tabs and CRLF", "\t[client]\r\n\tuser\t=\tbob\t\r\n", []string{"user=bob"}},
	{"no value", "[client]\npassword\n", []string{"password"}},
	{"empty value", "[client]\npassword =\n", []string{"password="}},
	{"= in a value", "[client]\na=b=c\n", []string{"a=b=c"}},
	{"comments", "# x\n; y\n[client] # z\na=1 # b\nc=2 ; d\n #e=3\n", []string{"a=1", "c=2 ; d"}},
	{"comment without blanks", "[client]\nq='a'#c\nw=a\\#b\ns=#\n", []string{"q=a", `w=a\`, "s="}},
	{"quotes", "[client]\na=\"x#y\"\nb='it''s'\nc=\"x\" \"y\"\nd=a\"b#c\"d\n", []string{"a=x#y", "b=it''s", `c=x" "y`, `d=a"b#c"d`}},
	{"open quotes", "[client]\na=\"x#y\nb=\"\nc='a\\'b' tail\n", []string{`a="x#y`, `b="`, "c='a'b' tail"}},
	{"escapes", "[client]\na=\\ta\\\\n\\s.\\x\nb=\"\\\"\"\nc='\\'\nd=\"a\\\\\"#x\"\ne=end\\\n", []string{"a=\ta\\n .\\x", `b="`, `c=\`, `d=a\`, `e=end\`}},
	{"a quote behind a backslash", "[client]\nw=a\\\"#b\n", []string{`w=a"#b`}},
	{"other groups", "[mysqld]\na=1\n[client]\nb=2\n[client-2]\nc=3\n[CLIENT]\nd=4\n[ client ]\ne=5\n[client ]\nf=6\n", []string{"b=2", "d=4", "f=6"}},
	{"behind the bracket", "[client]x]\na=1\n", []string{"a=1"}},
	{"unknown directive", "[client]\n!unknown x\na=1\n", []string{"a=1"}},
	{"names are not touched", "[client]\n--a=1\nb c=2\nloose_d=3\n", []string{"--a=1", "b c=2", "loose_d=3"}},
	{"no group", "a=1\n", nil},
	{"no bracket", "[client\na=1\n", nil},
	{"nothing to include", "[client]\n!include\n", nil},
}

// printed is a list of options as my_print_defaults prints it.
func printed(text string) (string, error) {
	items, err := parse([]byte(text))
	var b strings.Builder
	for _, it := range items {
		if it.kind == isOption && strings.EqualFold(it.group, "client") {
			b.WriteString("--" + it.name)
			if it.hasValue {
				b.WriteString("=" + it.value)
			}
			b.WriteByte('\n')
		}
	}
	return b.String(), err
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tc := range texts {
		want := ""
		for _, w := range tc.want {
			want += "--" + w + "\n"
		}
		got, err := printed(tc.text)
		switch {
		case tc.want == nil && err == nil:
			t.Errorf("%s: accepted as %q", tc.name, got)
		case tc.want != nil && (err != nil || got != want):
			t.Errorf("%s:\n got %q, %v\nwant %q", tc.name, got, err, want)
		}
	}
}

// TestParseIsTheClients holds the table to MariaDB's own program.
func TestParseIsTheClients(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("my_print_defaults")
	if err != nil {
		t.Fatal(err) // comes with the server
	}
	for _, tc := range texts {
		path := filepath.Join(t.TempDir(), "x.cnf")
		if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(program, "--defaults-file="+path, "client").Output()
		want := ""
		for _, w := range tc.want {
			want += "--" + w + "\n"
		}
		switch {
		case tc.want == nil && err == nil:
			t.Errorf("%s: the client accepts it as %q", tc.name, out)
		case tc.want != nil && (err != nil || string(out) != want):
			t.Errorf("%s:\nthe client: %q, %v\n      want: %q", tc.name, out, err, want)
		}
	}
}

func TestMessagesDoNotQuote(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"password=Zecret\n", "[client]\n[Zecret\n", "[client]\npassword=x\n!include\n"} {
		_, err := parse([]byte(text))
		if err == nil || strings.Contains(err.Error(), "Zecret") || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%q: error %v, want one with a line and without the text", text, err)
		}
	}
}

// FuzzParse: parsing ends, and what it gives is clean.
func FuzzParse(f *testing.F) {
	for _, tc := range texts {
		f.Add([]byte(tc.text))
	}
	f.Add([]byte("\xef\xbb\xbf[client]\n!includedir /etc\n!include x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		items, _ := parse(text)
		last := 0
		for _, it := range items {
			if it.line <= last {
				t.Fatalf("line %d comes after line %d", it.line, last)
			}
			last = it.line
			switch {
			case it.kind != isOption:
				if it.value == "" {
					t.Fatal("a directive without a value")
				}
			case strings.ContainsAny(it.name, "=\n"), strings.TrimRight(it.name, blanks) != it.name:
				t.Fatalf("name %q", it.name)
			case !it.hasValue && it.value != "":
				t.Fatalf("%q has a value without =", it.name)
			case len(it.value) > len(text):
				t.Fatalf("a value of %d bytes in a file of %d", len(it.value), len(text))
			}
		}
	})
}
