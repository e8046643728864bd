package optionfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const (
	maxFile  = 1 << 20 // bytes read of a file: some, such as /dev/zero, have no end
	maxDepth = 10      // of files that include files
)

// Files says which option files are read, in the order in which they are. Of an option that is given several times the
// last one counts. The zero value reads nothing.
type Files struct {
	Global []string // need not exist
	Extra  string   // must exist; empty: none
	User   []string // need not exist
	Only   string   // must exist, and the others are not read; empty: they are
	Groups []string // groups to read, whatever their order; upper and lower case are the same
}

// Option is one option of a file.
type Option struct {
	Name     string // with dashes, without loose-
	Value    string
	HasValue bool // there was a =, possibly with nothing behind it
	Where    string
}

// Result is what was read.
type Result struct {
	Options  []Option // in the order of reading
	Warnings []string // files that were not read, and why
}

// Global are the places of files for all users.
func Global(getenv func(string) string) []string {
	var files []string
	if runtime.GOOS == "windows" {
		dirs := []string{getenv("WINDIR"), `C:\`}
		for _, dir := range dirs {
			if dir != "" {
				files = append(files, filepath.Join(dir, "my.ini"), filepath.Join(dir, "my.cnf"))
			}
		}
	} else {
		files = append(files, "/etc/my.cnf", "/etc/mysql/my.cnf")
	}
	home := getenv("MARIADB_HOME")
	if home == "" {
		home = getenv("MYSQL_HOME")
	}
	if home != "" {
		files = append(files, filepath.Join(home, "my.cnf"))
	}
	return files
}

// User are the places of files of the user.
func User(getenv func(string) string) []string {
	if home := getenv("HOME"); home != "" {
		return []string{filepath.Join(home, ".my.cnf")}
	}
	return nil
}

// Read reads the files. An error names the file, and the line where there is one.
func (f Files) Read() (*Result, error) {
	r := &reading{groups: f.Groups}
	if f.Only != "" {
		return &r.Result, r.required(f.Only)
	}
	for _, path := range f.Global {
		if err := r.optional(path, 0); err != nil {
			return &r.Result, err
		}
	}
	if f.Extra != "" {
		if err := r.required(f.Extra); err != nil {
			return &r.Result, err
		}
	}
	for _, path := range f.User {
		if err := r.optional(path, 0); err != nil {
			return &r.Result, err
		}
	}
	return &r.Result, nil
}

// reading is a Result in the making.
type reading struct {
	Result
	groups []string
}

// required reads a file that must be there.
func (r *reading) required(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, reason(err))
	case info.IsDir():
		return fmt.Errorf("%s is a directory", path)
	}
	text, err := r.load(path, info)
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	return r.take(path, text, 0)
}

// optional reads a file if it is there and may be read. As clients do, it says nothing otherwise.
func (r *reading) optional(path string, depth int) error {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil
	}
	text, err := r.load(path, info)
	if err != nil {
		return nil
	}
	return r.take(path, text, depth)
}

// load returns the text of a file, none if everybody may write to it: then anybody may have.
func (r *reading) load(path string, info os.FileInfo) ([]byte, error) {
	if runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o002 != 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("World-writable config file '%s' is ignored", path))
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFile))
}

// reason is what the system says of a file, without its name.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// take keeps the options of a file and reads the files that it includes.
func (r *reading) take(path string, text []byte, depth int) error {
	items, syntax := parse(text)
	for _, it := range items {
		where := fmt.Sprintf("%s line %d", path, it.line)
		if it.kind == isOption {
			if slices.ContainsFunc(r.groups, func(g string) bool { return strings.EqualFold(g, it.group) }) {
				r.Options = append(r.Options, Option{Name: key(it.name), Value: it.value, HasValue: it.hasValue, Where: where})
			}
			continue
		}
		if depth == maxDepth {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: more than %d files include each other; the others are not read", where, maxDepth))
			continue
		}
		included := []string{it.value}
		if it.kind == isIncludeDir {
			var err error
			if included, err = directory(it.value); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
		}
		for _, file := range included {
			if err := r.optional(file, depth+1); err != nil {
				return err
			}
		}
	}
	if syntax != nil {
		return fmt.Errorf("%s %w", path, syntax)
	}
	return nil
}

// directory lists the option files of a directory, sorted.
func directory(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if ext == ".cnf" || ext == ".ini" && runtime.GOOS == "windows" {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files, nil
}

// key is the one spelling of an option's name. What is marked as loose may be unknown, as everything is here.
func key(name string) string {
	return strings.TrimPrefix(strings.ReplaceAll(name, "_", "-"), "loose-")
}
