package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// module writes a small module with the given test file and makes it the current directory.
func module(t *testing.T, test string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26.0\n", "a_test.go": "package m\n\n" + test} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
}

// stage runs the stage x in the current directory with our options, and holds its exit code and what its output has and has not.
func stage(t *testing.T, strict bool, code int, want, not []string, options ...string) {
	t.Helper()
	var b strings.Builder
	if got := run(append(append([]string{"-stage", "x"}, options...), "--", "-count=1", "./..."), &b, &b, strict); got != code {
		t.Errorf("code: got %d, want %d", got, code)
	}
	for _, w := range want {
		if !strings.Contains(b.String(), w) {
			t.Errorf("output lacks %q", w)
		}
	}
	for _, w := range not {
		if strings.Contains(b.String(), w) {
			t.Errorf("output has %q", w)
		}
	}
	if t.Failed() {
		t.Logf("output:\n%s", b.String())
	}
}

func TestRun(t *testing.T) {
	for _, tc := range []struct {
		name, test string
		strict     bool
		code       int
		want       []string // in out + errOut
		not        []string
	}{
		{
			"pass", `import "testing"; func TestA(t *testing.T) { t.Log("quiet") }`, true, 0,
			[]string{"ok  ", "stage x: 1 passed, 0 failed, 0 skipped in "},
			[]string{"quiet"},
		},
		{
			"fail", `import "testing"; func TestA(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Error("the reason") }) }; func TestB(t *testing.T) { t.Log("quiet") }`, false, 1,
			[]string{"FAIL", "the reason", "failed: m TestA/sub\nfailed: m TestA\nstage x: 1 passed, 2 failed, 0 skipped"},
			[]string{"quiet"},
		},
		{
			"panic", `import "testing"; func TestA(t *testing.T) { panic("the reason") }`, false, 1,
			[]string{"the reason", "0 passed, 1 failed"},
			nil,
		},
		{
			"skip in CI", `import "testing"; func TestA(t *testing.T) {}; func TestB(t *testing.T) { t.Skip("the reason") }`, true, 1,
			[]string{"SKIP m TestB", "the reason", "1 passed, 0 failed, 1 skipped", "CI=true"},
			nil,
		},
		{
			"skip elsewhere", `import "testing"; func TestA(t *testing.T) {}; func TestB(t *testing.T) { t.Skip("the reason") }`, false, 0,
			[]string{"SKIP m TestB", "1 skipped"},
			[]string{"CI=true"},
		},
		{
			"does not compile", `import "testing"; func TestA(t *testing.T) { undefined() }`, false, 1,
			[]string{"undefined: undefined", "0 passed, 1 failed"},
			nil,
		},
		{
			"exits before any test", `import ("os"; "testing"); func TestMain(m *testing.M) { println("the reason"); os.Exit(3) }; func TestA(t *testing.T) {}`, false, 1,
			[]string{"the reason", "0 passed, 1 failed"},
			nil,
		},
		{
			"no tests", `var _ = 1`, false, 1, []string{"no test ran"}, nil,
		},
		{
			"slow", `import ("testing"; "time"); func TestA(t *testing.T) { time.Sleep(20*time.Millisecond) }`, false, 0,
			[]string{"slow ", "m TestA"},
			nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			module(t, tc.test)
			stage(t, tc.strict, tc.code, tc.want, tc.not, "-slow", (10 * time.Millisecond).String())
		})
	}
}

// TestAgain holds that a test which fails among others and passes by itself is counted and named, and that nothing else is excused.
func TestAgain(t *testing.T) {
	const imports = `import ("os"; "testing"); `
	once := imports + `func TestA(t *testing.T) {
		t.Run("sub", func(t *testing.T) { if _, err := os.Stat("seen"); err != nil { os.WriteFile("seen", nil, 0o644); t.Error("too slow") } }) }
		func TestB(t *testing.T) {}`
	for _, tc := range []struct {
		name, test string
		limit      string
		code       int
		want       []string
		not        []string
	}{
		{
			"passes alone", once, "2", 0,
			[]string{"too slow", "again, by itself: m TestA\n", "failed among the others, passed alone: m TestA\n", "stage x: 3 passed (1 at the second try), 0 failed, 0 skipped"},
			[]string{"\nfailed: "},
		},
		{"not asked for", once, "0", 1, []string{"stage x: 1 passed, 2 failed"}, []string{"again, by itself"}},
		{
			"fails twice", imports + `var _ = os.Args; func TestA(t *testing.T) { t.Error("the reason") }; func TestB(t *testing.T) {}`, "2", 1,
			[]string{"again, by itself: m TestA\n", "\nfailed: m TestA\n", "stage x: 1 passed, 1 failed"},
			[]string{"passed alone"},
		},
		{
			"more than the limit", imports + `var _ = os.Args; func TestA(t *testing.T) { t.Error("x") }; func TestB(t *testing.T) { t.Error("x") }`, "1", 1,
			[]string{"0 passed, 2 failed"},
			[]string{"again, by itself"},
		},
		{
			"panic", imports + `func TestA(t *testing.T) { if _, err := os.Stat("seen"); err != nil { os.WriteFile("seen", nil, 0o644); panic("the reason") } }`, "2", 1,
			[]string{"the reason", "1 failed"},
			[]string{"again, by itself"},
		},
		{
			"words of a data race", imports + `func TestA(t *testing.T) { if _, err := os.Stat("seen"); err != nil { os.WriteFile("seen", nil, 0o644); println("WARNING: DATA RACE"); t.Error("x") } }`, "2", 1,
			[]string{"1 failed"},
			[]string{"again, by itself"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			module(t, tc.test)
			stage(t, false, tc.code, tc.want, tc.not, "-again", tc.limit)
		})
	}
}

// TestCutShort holds that a package without a result is a failure.
func TestCutShort(t *testing.T) {
	in := `{"Action":"start","Package":"m"}` + "\n" + `{"Action":"output","Package":"m","Test":"TestA","Output":"half\n"}` + "\nnot json\n"
	var b strings.Builder
	sum, err := summarize(strings.NewReader(in), &b, time.Second)
	if err != nil || sum.failed != 1 || sum.passed+sum.skipped != 0 {
		t.Errorf("got %+v, %v; want one failed", sum, err)
	}
	for _, w := range []string{"FAIL m: no result", "half", "not json"} {
		if !strings.Contains(b.String(), w) {
			t.Errorf("output lacks %q:\n%s", w, b.String())
		}
	}
}
