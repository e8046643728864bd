package luaffi

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	lua "deltabench/internal/third_party/gopher-lua"
)

var update = flag.Bool("update", false, "record testdata/programs.txt anew from sysbench's LuaJIT")

// prelude runs each line of a program by itself and prints what it returns or its error.
const prelude = `
local function show(...)
  local t = {}
  for i = 1, select("#", ...) do t[i] = tostring((select(i, ...))) end
  return table.concat(t, "\t")
end
function run(text)
  local code = text
  if text:sub(1, 2) == "= " then code = "local a, b, c, d, e, f, g, h = " .. text:sub(3) .. " return a, b, c, d, e, f, g, h" end
  local f, err = loadstring(code, "=s")
  if not f then print("  syntax: " .. err) return end
  local r = {pcall(f)}
  if not r[1] then print("  error: " .. tostring(r[2])) return end
  local n = 0
  for i = 2, 9 do if r[i] ~= nil then n = i end end
  if text:sub(1, 2) == "= " then print("  " .. show(unpack(r, 2, math.max(n, 2)))) end
end
`

type program struct {
	name  string
	lines []string
	want  []string // what all lines print
}

// readPrograms reads a file of programs: "== name", lines of Lua, "--", what they print.
func readPrograms(t testing.TB, path string) []program {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []program
	output := false
	for _, line := range strings.Split(string(data), "\n") {
		name, isName := strings.CutPrefix(line, "== ")
		switch {
		case isName:
			list = append(list, program{name: name})
			output = false
		case len(list) == 0 || line == "":
		case line == "--":
			output = true
		case output:
			list[len(list)-1].want = append(list[len(list)-1].want, line)
		default:
			list[len(list)-1].lines = append(list[len(list)-1].lines, line)
		}
	}
	return list
}

func (p program) source() string {
	s := prelude
	for _, line := range p.lines {
		s += fmt.Sprintf("print(%q)\nrun(%q)\n", "> "+line, line)
	}
	return s
}

var address = regexp.MustCompile(`0x[0-9a-f]{9,}`)

func clean(out string) []string {
	var lines []string
	for _, line := range strings.Split(address.ReplaceAllString(out, "ADDRESS"), "\n") {
		if line = strings.TrimRight(line, " \t"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// newState makes a state whose print and printf write to out.
func newState(t testing.TB, host *Host, out *bytes.Buffer) *lua.LState {
	t.Helper()
	L := lua.NewState()
	t.Cleanup(L.Close)
	host.Stdout = out
	Open(L, host)
	L.SetGlobal("print", L.NewFunction(func(L *lua.LState) int {
		for i := 1; i <= L.GetTop(); i++ {
			if i > 1 {
				out.WriteByte('\t')
			}
			out.WriteString(L.ToStringMeta(L.Get(i)).String())
		}
		out.WriteByte('\n')
		return 0
	}))
	return L
}

func oracle(t testing.TB, source string) []string {
	t.Helper()
	cmd := exec.Command("sysbench", "-")
	cmd.Stdin = strings.NewReader(source)
	out, _ := cmd.CombinedOutput()
	_, text, ok := strings.Cut(string(out), "\n\n")
	if !ok {
		t.Fatalf("sysbench said:\n%s", out)
	}
	return clean(text)
}

func hasOracle() bool {
	_, err := exec.LookPath("sysbench")
	return err == nil
}

const programsFile = "programs.txt"

// TestPrograms compares with what LuaJIT printed, and with what it prints where it is installed.
func TestPrograms(t *testing.T) {
	path := filepath.Join("testdata", programsFile)
	programs := readPrograms(t, path)
	if len(programs) < 60 {
		t.Fatalf("%d programs, want 60", len(programs))
	}
	if *update {
		recordPrograms(t, path, programs)
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			var out bytes.Buffer
			L := newState(t, &Host{}, &out)
			if err := L.DoString(p.source()); err != nil {
				t.Fatal(err)
			}
			diff(t, "got", clean(out.String()), p.want)
			if hasOracle() {
				diff(t, "LuaJIT", oracle(t, p.source()), p.want)
			}
		})
	}
}

func recordPrograms(t *testing.T, path string, programs []program) {
	var b strings.Builder
	for i := range programs {
		p := &programs[i]
		p.want = oracle(t, p.source())
		fmt.Fprintf(&b, "== %s\n%s\n--\n%s\n\n", p.name, strings.Join(p.lines, "\n"), strings.Join(p.want, "\n"))
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func diff(t *testing.T, who string, got, want []string) {
	t.Helper()
	last := ""
	for i := range max(len(got), len(want)) {
		g, w := "(nothing)", "(nothing)"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if strings.HasPrefix(w, "> ") {
			last = w
		}
		if g != w {
			t.Errorf("%s\n  %s: %s\n  want: %s", last, who, g, w)
			if strings.HasPrefix(w, ">") || strings.HasPrefix(g, ">") {
				return
			}
		}
	}
}
