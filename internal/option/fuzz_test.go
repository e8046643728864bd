package option

import (
	"strings"
	"testing"
)

// read calls every getter: none may panic on any stored value.
func read(s *Set) {
	for _, spec := range s.Specs() {
		_, _ = s.Int(spec.Name)
		s.Size(spec.Name)
		s.Double(spec.Name)
		s.Bool(spec.Name)
		s.List(spec.Name)
	}
	_ = s.Check()
}

func FuzzArg(f *testing.F) {
	for _, arg := range []string{"--threads=4", "--debug", "--mysql-host=a,,b", "--", "--=", "--thread_stack-size=3kb", "--rand-pareto-h=0x1.8p-2"} {
		f.Add(arg)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		s := testSet()
		outcome := s.ParseArg(arg)
		read(s)
		given := 0
		for _, spec := range s.Specs() {
			if s.Given(spec.Name) {
				given++
			}
		}
		if want := 0; outcome == Stored {
			want = 1
			if given != want {
				t.Errorf("%d options given after one stored argument %q", given, arg)
			}
		} else if given != want {
			t.Errorf("%d options given after the refused argument %q", given, arg)
		}
	})
}

func FuzzFile(f *testing.F) {
	for _, text := range []string{"threads=2\n", "mysql-host=\"a b\",c # d\n", "x='\n", "=5", "debug=off\r\nfoo =\x00\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := testSet()
		_ = s.ParseFile(strings.NewReader(text))
		read(s)
		total := 0
		for _, spec := range s.Specs() {
			if s.Given(spec.Name) {
				total += len(s.Raw(spec.Name))
			}
		}
		if total > len(text) {
			t.Errorf("%d bytes of values from %d bytes of text", total, len(text))
		}
	})
}
