package lua

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var addresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// output gives what a program prints, addresses masked.
func output(t *testing.T, text string) string {
	t.Helper()
	L := NewState()
	defer L.Close()
	var out bytes.Buffer
	L.SetStdout(&out)
	fn, err := L.LoadBytes([]byte(text), "=stdin")
	if err != nil {
		t.Fatal(err)
	}
	L.Push(fn)
	if err := L.PCall(0, 0, nil); err != nil {
		t.Fatal(err)
	}
	return addresses.ReplaceAllString(out.String(), "ADDR")
}

func sameLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("line %d:\ngot  %q\nwant %q", i+1, a, b)
		}
	}
}

func TestLikeLuaJIT(t *testing.T) {
	for _, p := range compatPrograms {
		t.Run(p.name, func(t *testing.T) { sameLines(t, output(t, p.text), p.want) })
	}
}

// TestLuaJITIsAsRecorded runs the programs with LuaJIT itself, where it is installed with sysbench.
func TestLuaJITIsAsRecorded(t *testing.T) {
	sysbench, err := exec.LookPath("sysbench")
	if err != nil {
		t.Log("no sysbench here")
		return
	}
	for _, p := range compatPrograms {
		t.Run(p.name, func(t *testing.T) {
			cmd := exec.Command(sysbench, "-")
			cmd.Stdin = strings.NewReader(p.text)
			cmd.Dir = t.TempDir()
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			_, body, _ := strings.Cut(string(out), "\n\n") // the banner
			sameLines(t, addresses.ReplaceAllString(body, "ADDR"), p.want)
		})
	}
}
