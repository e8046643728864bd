package optionfile

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// write writes a file below dir and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func texted(r *Result) []string {
	var list []string
	for _, o := range r.Options {
		list = append(list, o.Name+"="+o.Value)
	}
	return list
}

func TestOrderOfFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string { return write(t, dir, name, "[client]\nfrom="+name+"\n") }
	all := Files{
		Global: []string{file("global"), filepath.Join(dir, "missing"), file("second")}, Extra: file("extra"),
		User: []string{file("user")}, Groups: []string{"client"},
	}
	only := all
	only.Only = file("only")
	for _, tc := range []struct {
		files Files
		want  []string
	}{
		{all, []string{"from=global", "from=second", "from=extra", "from=user"}},
		{only, []string{"from=only"}},
		{Files{}, nil},
		{Files{Global: all.Global}, nil},
	} {
		r, err := tc.files.Read()
		if err != nil || !slices.Equal(texted(r), tc.want) {
			t.Errorf("got %v, %v, want %v", texted(r), err, tc.want)
		}
	}
}

func TestIncludes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "d/b.cnf", "[client]\nd=b\n")
	write(t, dir, "d/a.cnf", "[client]\nd=a\n[other]\nx=1\n")
	write(t, dir, "d/a.txt", "[client]\nd=txt\n")
	inner := write(t, dir, "inner", "[client]\ninner=1\n")
	top := write(t, dir, "top", fmt.Sprintf(`[client]
loose_some_name = 1
!include %s
!includedir %s
!include %s/missing
last=1
`, inner, filepath.Join(dir, "d"), dir))
	r, err := Files{Only: top, Groups: []string{"client"}}.Read()
	want := []string{"some-name=1", "inner=1", "d=a", "d=b", "last=1"}
	if err != nil || !slices.Equal(texted(r), want) {
		t.Fatalf("got %v, %v, want %v", texted(r), err, want)
	}
	if got, want := r.Options[1].Where, inner+" line 2"; got != want {
		t.Errorf("where: got %q, want %q", got, want)
	}

	self := write(t, dir, "self", "[client]\nx=1\n!include "+filepath.Join(dir, "self")+"\n")
	r, err = Files{Only: self, Groups: []string{"client"}}.Read()
	if err != nil || len(r.Options) != maxDepth+1 || len(r.Warnings) != 1 {
		t.Errorf("a file that includes itself: %d options, warnings %q, %v", len(r.Options), r.Warnings, err)
	}
}

func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := write(t, dir, "broken", "\npassword=Zecret\n")
	for _, tc := range []struct {
		files Files
		want  string
	}{
		{Files{Only: filepath.Join(dir, "missing")}, "no such file"},
		{Files{Extra: filepath.Join(dir, "missing")}, "no such file"},
		{Files{Only: dir}, "is a directory"},
		{Files{Only: broken}, broken + " line 2: "},
		{Files{User: []string{broken}}, broken + " line 2: "},
		{Files{Only: write(t, dir, "i", "!includedir "+filepath.Join(dir, "missing")+"\n")}, "line 1: open "},
	} {
		_, err := tc.files.Read()
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "Zecret") {
			t.Errorf("%+v: error %v, want %q", tc.files, err, tc.want)
		}
	}
}

func TestWritableForAll(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // its permissions are others
	}
	dir := t.TempDir()
	path := write(t, dir, "x", "[client]\na=1\n")
	if err := os.Chmod(path, 0o646); err != nil {
		t.Fatal(err)
	}
	for _, f := range []Files{{Only: path}, {User: []string{path}}, {Extra: write(t, dir, "y", "!include "+path+"\n")}} {
		f.Groups = []string{"client"}
		r, err := f.Read()
		if err != nil || len(r.Options) != 0 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], path) {
			t.Errorf("%+v: %+v, %v; want nothing but a warning", f, r, err)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	getenv := func(name string) string {
		return map[string]string{"HOME": "/home/ann", "MYSQL_HOME": "/opt/my", "WINDIR": `C:\Windows`}[name]
	}
	global, user := Global(getenv), User(getenv)
	if len(user) != 1 || filepath.Base(user[0]) != ".my.cnf" {
		t.Errorf("user: %q", user)
	}
	if len(global) < 3 || filepath.ToSlash(global[len(global)-1]) != "/opt/my/my.cnf" {
		t.Errorf("global: %q", global)
	}
	none := func(string) string { return "" }
	if u := User(none); u != nil {
		t.Errorf("without a home: %q", u)
	}
}
