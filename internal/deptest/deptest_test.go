package deptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "deltabench/"

// maxLines is the length at which a source file is to be split.
const maxLines = 600

// listed is what `go list -json` tells of a package.
type listed struct {
	ImportPath string
	Doc        string
	Standard   bool
	Imports    []string
	Module     *struct{ Path string }
	Error      *struct{ Err string }
}

// list runs `go list` at the top of the module for one operating system.
func list(t *testing.T, goos string, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Doc,Standard,Imports,Module,Error"}, args...)...)
	cmd.Dir = top(t)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var pkgs []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Error != nil {
			t.Fatalf("%s: %s", p.ImportPath, p.Error.Err)
		}
		pkgs = append(pkgs, p)
	}
}

// top is the directory of the module.
func top(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// thirdParty has patched copies of other people's packages. They keep their shape, so that the patches can be told from it.
const thirdParty = "internal/third_party"

// under reports whether path is root or below it.
func under(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// level finds the level of a package; the most exact key wins.
func level(path string) (int, bool) {
	if l, ok := levels[path]; ok {
		return l.level, true
	}
	for dir := path; ; {
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return 0, false
		}
		dir = dir[:i]
		if l, ok := levels[dir+"/*"]; ok {
			return l.level, true
		}
	}
}

// systems are those whose builds are checked: files differ by operating system.
var systems = []string{"linux", "darwin", "windows"}

func TestImportsPointDownward(t *testing.T) {
	for _, goos := range systems {
		for _, p := range list(t, goos, "./...") {
			path := strings.TrimPrefix(p.ImportPath, module)
			mine, ok := level(path)
			if !ok {
				t.Errorf("%s has no level: add it to levels in rules_test.go", path)
				continue
			}
			for _, imp := range p.Imports {
				imp, ours := strings.CutPrefix(imp, module)
				if !ours {
					continue
				}
				if theirs, ok := level(imp); ok && theirs >= mine {
					t.Errorf("%s (level %d) imports %s (level %d): imports point downward", path, mine, imp, theirs)
				}
				if allowed, ok := grounds[path]; ok && !slices.Contains(allowed, imp) {
					t.Errorf("%s imports %s: the ground floor imports only %v of ours", path, imp, allowed)
				}
				for root, why := range testOnly {
					if under(imp, root) && !under(path, root) && !under(path, "internal/devtools") {
						t.Errorf("%s imports %s: only tests and tools may, because %s", path, imp, why)
					}
				}
			}
		}
	}
}

func TestProduct(t *testing.T) {
	for _, goos := range systems {
		deps := list(t, goos, "-deps", "./cmd/deltabench")
		if len(deps) < 50 {
			t.Fatalf("go list gives %d packages, the product has more", len(deps))
		}
		for _, p := range deps {
			for root, why := range productMustNot {
				if under(p.ImportPath, root) {
					t.Errorf("on %s the product contains %s, but: %s", goos, p.ImportPath, why)
				}
			}
			if p.Standard {
				continue
			}
			if path, ours := strings.CutPrefix(p.ImportPath, module); ours {
				for root, why := range testOnly {
					if under(path, root) {
						t.Errorf("on %s the product contains %s: only tests and tools may, because %s", goos, path, why)
					}
				}
				continue
			}
			if _, ok := productModules[p.Module.Path]; !ok {
				t.Errorf("on %s the product contains module %s (%s): argue it in productModules", goos, p.Module.Path, p.ImportPath)
			}
		}
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	for _, p := range list(t, "linux", "./...") {
		if p.Doc == "" && !under(strings.TrimPrefix(p.ImportPath, module), thirdParty) {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

func TestFileLength(t *testing.T) {
	files := 0
	err := filepath.WalkDir(top(t), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(filepath.ToSlash(path), thirdParty)):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n := bytes.Count(b, []byte("\n")); n >= maxLines {
			t.Errorf("%s has %d lines: split it, files stay below %d", path, n, maxLines)
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("read %d files: %v", files, err)
	}
}

func TestLevel(t *testing.T) {
	for _, tc := range []struct {
		path string
		want int
		ok   bool
	}{
		{"internal/sqldb", levels["internal/sqldb"].level, true},
		{"internal/sqldb/mysql", levels["internal/sqldb/*"].level, true},
		{"internal/workload/lua/vm", levels["internal/workload/*"].level, true},
		{"internal/unknown", 0, false},
	} {
		if got, ok := level(tc.path); got != tc.want || ok != tc.ok {
			t.Errorf("level(%s): got %d, %v; want %d, %v", tc.path, got, ok, tc.want, tc.ok)
		}
	}
}
