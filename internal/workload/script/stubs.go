package script

import lua "deltabench/internal/third_party/gopher-lua"

// Placeholders until D's files have them; D deletes each line here with the commit that brings the real one.

func openSQL(*State, *lua.LTable)       {}
func openRand(*State, *lua.LTable)      {}
func openHistogram(*State, *lua.LTable) {}
func openLegacy(*State)                 {}
