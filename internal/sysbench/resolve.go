package sysbench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"deltabench/internal/workload"
	"deltabench/internal/workload/script"
)

// dataDirs are where distributions and upstream install sysbench's own scripts. Those copies are not the
// user's overrides: the bundled tests stand in for them, whether the files exist or not.
var dataDirs = []string{"/usr/share/sysbench", "/usr/local/share/sysbench"}

// libraryTest is the name of the library that the bundled scripts share. As a test it has their options
// and commands, but it refuses to run.
const libraryTest = "oltp_common"

// kind is what a test name stands for.
type kind int

const (
	notFound   kind = iota
	native          // a test of ours
	luaScript       // a Lua script
	stdin           // a Lua script on standard input
	standalone      // the library called as a test
)

// found is a resolved test name.
type found struct {
	kind kind
	test workload.Test // native and standalone
	name string        // for messages: the basename of what was typed
	path string        // script: the file
	// module says that the script was found along Lua's search path.
	module bool
	text   string // script of ours
}

// resolver finds tests (specification 1.3): compiled-in names, then a file, then a module along
// the script path up to the directory of sysbench's own scripts, whose place the bundled tests take.
type resolver struct {
	tests  []workload.Test
	legacy workload.Test // what the name oltp means; nil: nothing
	getenv func(string) string
	// readable reports whether a path is a file that can be read.
	readable func(path string) bool
}

// resolver returns the resolver of a command line.
func (s *session) resolver() resolver {
	return resolver{tests: s.env.Tests, legacy: s.legacy(), getenv: s.env.Getenv, readable: readableFile}
}

func (r resolver) lookup(name string) workload.Test {
	for _, t := range r.tests {
		if t.Name() == name {
			return t
		}
	}
	return nil
}

// resolve finds the test that the user typed as name.
func (r resolver) resolve(name string) found {
	if name == "-" {
		return found{kind: stdin}
	}
	f := found{name: filepath.Base(name)}
	if isBuiltin(name) {
		if f.test = r.lookup(name); f.test != nil {
			f.kind = native
		}
		return f
	}
	// A path into the directory of sysbench's own scripts means the bundled test of that name.
	if dir := filepath.Dir(name); slices.Contains(dataDirs, filepath.Clean(dir)) {
		if bundled, ok := strings.CutSuffix(f.name, ".lua"); ok && r.bundled(bundled, &f) {
			return f
		}
	}
	if !script.Foreign(name) && r.readable(name) {
		f.kind, f.path = luaScript, name
		return f
	}
	if name == "" {
		return f
	}
	if text, ok := script.Bundled(name); ok && strings.HasSuffix(name, ".lua") && f.name != "common.lua" && f.name != libraryTest+".lua" {
		f.kind, f.path, f.text = luaScript, name, text
		return f
	}
	for template := range strings.SplitSeq(r.scriptPath(), ";") {
		if template == "" {
			continue
		}
		if slices.Contains(dataDirs, filepath.Dir(template)) && r.ours(name, &f) {
			return f
		}
		path := strings.ReplaceAll(template, "?", strings.ReplaceAll(name, ".", "/"))
		if !script.Foreign(path) && r.readable(path) {
			f.kind, f.path, f.module = luaScript, path, true
			return f
		}
	}
	r.ours(name, &f) // also where LUA_PATH leaves the directory out
	return f
}

// ours fills in f when name is a bundled SQL test, or a script of ours.
func (r resolver) ours(name string, f *found) bool {
	if r.bundled(name, f) {
		return true
	}
	text, ok := script.Bundled(name)
	if ok {
		f.kind, f.path, f.text, f.module = luaScript, dataDirs[0]+"/"+name+".lua", text, true
	}
	return ok
}

// bundled fills in f when name is a bundled SQL test.
func (r resolver) bundled(name string, f *found) bool {
	if name == libraryTest {
		// Any of its users has the library's options and commands.
		if f.test = r.lookup("oltp_read_write"); f.test != nil {
			f.kind = standalone
		}
		return f.kind == standalone
	}
	if r.legacy != nil && name == r.legacy.Name() {
		f.kind, f.test = native, r.legacy
		return true
	}
	if t := r.lookup(name); t != nil && t.SQL() {
		f.kind, f.test = native, t
		return true
	}
	return false
}

// scriptPath is Lua's package.path as sysbench sets it (specification 5.12).
func (r resolver) scriptPath() string {
	home := r.getenv("HOME") + "/.luarocks/share/lua"
	standard := "./?.lua;./?/init.lua;./src/lua/?.lua;" +
		home + "/5.1/?.lua;" + home + "/5.1/?/init.lua;" + home + "/?.lua;" + home + "/?/init.lua;" +
		"/usr/local/share/lua/5.1/?.lua;/usr/share/lua/5.1/?.lua;" + dataDirs[0] + "/?.lua;"
	env := r.getenv("LUA_PATH")
	if env == "" {
		return standard
	}
	return strings.ReplaceAll(env, ";;", ";"+standard)
}

// readableFile reports whether path is a file, not a directory, that this process can read.
func readableFile(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	return err == nil && !info.IsDir()
}
