package script

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	lua "deltabench/internal/third_party/gopher-lua"
)

// dataDirs are where distributions and upstream install sysbench's own scripts. Those files are never read: ours stand in
// for them. What else is there is somebody's own.
var dataDirs = []string{"/usr/share/sysbench", "/usr/local/share/sysbench", "/usr/share/doc/sysbench", "/usr/local/share/doc/sysbench"}

// library has the compiled code of the files that a script loads. It is shared by the script's states.
type library struct {
	mu    sync.Mutex
	files map[string]compiled
	// blocking are the calls in the texts that would block an event loop, in order of appearance.
	blocking []string
	uses     []use // names of the interface, when somebody asks for a check
	checking bool
	database bool // a text has calls that connect to a database
}

// compiled is a file as it was when it was compiled.
type compiled struct {
	proto *lua.FunctionProto
	size  int64
	time  time.Time
}

func newLibrary() *library { return &library{files: map[string]compiled{}} }

// bytecode is how compiled Lua files begin.
var bytecode = []byte("\x1b")

var errBytecode = errors.New("cannot load incompatible bytecode")

// compile compiles text; name is how messages call it.
func (l *library) compile(text []byte, name string) (*lua.FunctionProto, error) {
	if bytes.HasPrefix(text, bytecode) {
		return nil, fmt.Errorf("%s: %w", name, errBytecode)
	}
	l.scan(text)
	if l.checking {
		l.uses = append(l.uses, uses(text, name)...)
	}
	return lua.CompileBytes(text, "@"+name)
}

// file compiles a file, or returns what it was compiled to before.
func (l *library) file(path string) (*lua.FunctionProto, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return nil, cannotOpen(path, err)
	}
	if c, ok := l.files[path]; ok && c.size == info.Size() && c.time.Equal(info.ModTime()) {
		return c.proto, nil
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, fmt.Errorf("cannot read %s: Is a directory", path)
	case err != nil:
		return nil, cannotOpen(path, err)
	}
	proto, err := l.compile(text, path)
	if err != nil {
		return nil, err
	}
	l.files[path] = compiled{proto: proto, size: info.Size(), time: info.ModTime()}
	return proto, nil
}

// cannotOpen words an error as C's library does.
func cannotOpen(path string, err error) error {
	reason := "No such file or directory"
	var errno syscall.Errno
	if errors.As(err, &errno) && errno != syscall.ENOENT {
		reason = errno.Error()
		reason = strings.ToUpper(reason[:1]) + reason[1:]
	}
	return fmt.Errorf("cannot open %s: %s", path, reason)
}

// text compiles a text of ours once.
func (l *library) text(name, text string) (*lua.FunctionProto, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.files[name]; ok {
		return c.proto, nil
	}
	proto, err := l.compile([]byte(text), name)
	if err != nil {
		return nil, err
	}
	l.files[name] = compiled{proto: proto}
	return proto, nil
}

// modules are the names of the files that were loaded besides the script's own.
func (l *library) modules() []string { return slices.Sorted(maps.Keys(l.files)) }

// Calls that wait for something that the event loop does not know.
var (
	blockers = regexp.MustCompile(`\b(os\s*\.\s*execute|io\s*\.\s*(?:popen|read|lines|stdin))\b`)
	comments = regexp.MustCompile(`(?s)--\[\[.*?\]\]|--[^\n]*`)
	blanks   = regexp.MustCompile(`\s+`)
	connects = regexp.MustCompile(`\bsysbench\s*\.\s*sql\s*\.\s*driver\b|\bdb_(?:connect|query|prepare|bulk_insert_init)\b`)
)

// scan notes calls in a text that matter to those who execute it.
func (l *library) scan(text []byte) {
	text = comments.ReplaceAll(text, nil)
	l.database = l.database || connects.Match(text)
	for _, m := range blockers.FindAll(text, -1) {
		if name := blanks.ReplaceAllString(string(m), ""); !slices.Contains(l.blocking, name) {
			l.blocking = append(l.blocking, name)
		}
	}
}

// foreign are the names of sysbench's own scripts.
var foreign = []string{
	"bulk_insert", "oltp_common", "oltp_delete", "oltp_insert", "oltp_point_select", "oltp_read_only", "oltp_read_write",
	"oltp_update_index", "oltp_update_non_index", "oltp_write_only", "select_random_points", "select_random_ranges",
	"common", "oltp", "oltp_simple", "select", "insert", "delete", "update_index", "update_non_index", "parallel_prepare",
}

// Foreign reports whether a path is that of one of sysbench's own scripts.
func Foreign(path string) bool {
	path = filepath.Clean(path)
	for _, dir := range dataDirs {
		if strings.HasPrefix(path, dir+"/") {
			name, ok := strings.CutSuffix(filepath.Base(path), ".lua")
			return ok && slices.Contains(foreign, name)
		}
	}
	return false
}

// find compiles the file of a path as scripts name it: the file, or ours where there is none.
func (c *Script) find(path string) (*lua.FunctionProto, error) {
	if Foreign(path) {
		if text, ok := Bundled(path); ok {
			return c.code.text(path, text)
		}
		return nil, cannotOpen(path, syscall.ENOENT)
	}
	if _, err := os.Stat(path); err != nil {
		if text, ok := Bundled(path); ok {
			return c.code.text(path, text)
		}
	}
	return c.code.file(path)
}

// module compiles what require finds along a search path. Without a result, tried are the lines that tell where it looked.
func (c *Script) module(name, search string) (proto *lua.FunctionProto, path string, tried []string, err error) {
	ours := func() (*lua.FunctionProto, string, []string, error) {
		text, ok := Bundled(name)
		if !ok {
			return nil, "", nil, nil
		}
		p := dataDirs[0] + "/" + name + ".lua"
		proto, err := c.code.text(p, text)
		return proto, p, nil, err
	}
	for template := range strings.SplitSeq(search, ";") {
		if template == "" {
			continue
		}
		path := strings.ReplaceAll(template, "?", strings.ReplaceAll(name, ".", "/"))
		if Foreign(path) {
			if proto, p, _, err := ours(); proto != nil || err != nil {
				return proto, p, nil, err
			}
		} else if info, err := os.Stat(path); err == nil && readable(path, info) {
			proto, err := c.code.file(path)
			return proto, path, nil, err
		}
		tried = append(tried, "no file '"+path+"'")
	}
	if proto, p, _, err := ours(); proto != nil || err != nil { // also where LUA_PATH leaves the directory out
		return proto, p, nil, err
	}
	return nil, "", tried, nil
}

// readable reports whether a file can be opened, as Lua's search does. Directories can.
func readable(path string, info os.FileInfo) bool {
	if info.IsDir() {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}
