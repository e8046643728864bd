package script

import lua "deltabench/internal/third_party/gopher-lua"

// openFFI sets ffi, bit and jit.
func (s *State) openFFI() {}

// charPointer is a C string as validators get it.
func (s *State) charPointer(text string) lua.LValue { return lua.LString(text) }

// offersC reports whether a function of ffi.C can be called.
func (s *State) offersC(string) bool { return false }
