package lua

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var errSteps = errors.New("too many steps")

// runBounded runs a program with limits of steps, memory of strings, and without what reaches outside.
func runBounded(text []byte, steps int) error {
	L := NewState(Options{IncludeGoStackTrace: true})
	defer L.Close()
	L.SetStdout(io.Discard)
	for _, name := range []string{"io", "os", "package", "require", "module", "dofile", "loadfile", "collectgarbage"} {
		L.SetGlobal(name, LNil)
	}
	L.SetHook(1000, func(*LState) error {
		if steps -= 1000; steps < 0 {
			return errSteps
		}
		return nil
	})
	fn, err := L.LoadBytes(text, "@fuzz.lua")
	if err != nil {
		return err
	}
	L.Push(fn)
	return L.PCall(0, MultRet, nil)
}

// FuzzProgram: no text makes the interpreter panic, whatever it does to itself; errors are Lua's.
func FuzzProgram(f *testing.F) {
	maxString = 1 << 20
	for _, p := range compatPrograms {
		f.Add([]byte(p.text))
	}
	files, _ := filepath.Glob("_lua5.1-tests/*.lua")
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && len(text) < 20000 {
			f.Add(text)
		}
	}
	for _, s := range []string{"goto x ::x:: local a <close> = 1", "return (function(...) return select('#', ...) end)(1, nil)",
		"local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) return t[1]",
		"local function f() return pcall(f) end f()", "return ('x'):rep(1e9)", "\x1bLJ", "#!/bin/sh\nreturn 1"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := runBounded(text, 50000)
		var api *ApiError
		if errors.As(err, &api) && api.Type == ApiErrorPanic {
			t.Errorf("the interpreter failed: %v", err)
		}
		if err != nil && strings.Contains(err.Error(), "runtime error") && !strings.Contains(string(text), "runtime error") {
			t.Errorf("the interpreter failed: %v", err)
		}
	})
}
