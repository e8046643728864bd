package luaffi

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	lua "deltabench/internal/third_party/gopher-lua"
)

// FuzzCdef feeds the parser of C declarations. What it accepts must have sizes and names that work.
func FuzzCdef(f *testing.F) {
	for _, p := range readPrograms(f, filepath.Join("testdata", programsFile)) {
		for _, line := range p.lines {
			for i, text := range strings.Split(line, `"`) {
				if i%2 == 1 {
					f.Add(text)
				}
			}
		}
	}
	f.Add(testDeclarations)
	f.Add("#pragma pack(push,1)\nstruct s { char a; int b:3; union { int c; float d[2]; }; int e[?]; };")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		watchdog := time.AfterFunc(30*time.Second, func() { panic("slow: " + text) })
		defer watchdog.Stop()
		d := newDecls(nil)
		check := func(typ *ctype) {
			_ = typ.String()
			n, ok := typ.sizeof()
			if ok && (n < 0 || n > maxSize) {
				t.Errorf("%s has %d bytes", typ, n)
			}
			if a := typ.alignof(); a < 1 || a&(a-1) != 0 {
				t.Errorf("%s is aligned to %d", typ, a)
			}
			if typ.kind == kRecord {
				for _, m := range typ.rec.fields {
					if size, ok := m.typ.sizeof(); ok && typ.rec.complete && (m.off < 0 || m.off+size > max(typ.rec.size, 8)) {
						t.Errorf("%s: %s is at %d of %d", typ, m.name, m.off, typ.rec.size)
					}
				}
			}
		}
		if err := d.parse(text, nil); err == nil {
			for _, s := range d.names {
				check(s.typ)
			}
			for _, typ := range d.tags {
				check(typ)
			}
		} else if len(d.names)+len(d.tags) > 0 {
			t.Errorf("declarations with a mistake (%v) left %d names and %d tags", err, len(d.names), len(d.tags))
		}
		if typ, err := d.parseType(text, nil); err == nil {
			check(typ)
		}
	})
}

// FuzzFFI runs Lua programs that use ffi. Whatever they do is a Lua error at worst.
func FuzzFFI(f *testing.F) {
	for _, p := range readPrograms(f, filepath.Join("testdata", programsFile)) {
		var all []string
		for _, line := range p.lines {
			if code, ok := strings.CutPrefix(line, "= "); ok {
				line = "local a, b, c = " + code
			}
			f.Add(line)
			all = append(all, "pcall(function() "+line+"\nend)")
		}
		f.Add(strings.Join(all, "\n"))
	}
	saved := maxObject
	maxObject = 1 << 20
	f.Cleanup(func() { maxObject = saved })
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 4096 || strings.Contains(source, "rep") {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		L := lua.NewState(lua.Options{SkipOpenLibs: true, RegistrySize: 4096, CallStackSize: 64})
		defer L.Close()
		for _, open := range []lua.LGFunction{lua.OpenPackage, lua.OpenBase, lua.OpenString} {
			L.Push(L.NewFunction(open))
			L.Call(0, 0)
		}
		for _, name := range []string{"print", "dofile", "loadfile", "require", "collectgarbage"} {
			L.SetGlobal(name, L.NewFunction(func(*lua.LState) int { return 0 }))
		}
		Open(L, &Host{Stdout: io.Discard, Declarations: testDeclarations, Funcs: SleepFuncs(func(time.Duration) error { return nil })})
		L.SetContext(ctx)
		err := runText(L, source)
		Close(L)
		if err != nil && strings.Contains(err.Error(), "runtime error") {
			t.Fatal(err)
		}
	})
}
