// Package luaffi gives Lua scripts LuaJIT's ffi, bit and jit libraries, and its 64-bit integers, on our Lua interpreter.
//
// C declarations are parsed and laid out as on 64-bit Unix, whatever system this is. Objects live in memory that Go owns:
// a pointer is a block and an offset, and an access outside of the block is a Lua error and no crash. Addresses exist
// to be printed, compared and cast to integers and back.
//
// No C code is ever called. ffi.C has what the host offers (Host.Funcs) and a few functions of libc that are written in Go
// here; others can be declared, and an attempt to use one is an error that names it. What LuaJIT does to scripts otherwise,
// errors and their words included, is done here too; testdata/programs.txt has the cases, recorded from LuaJIT.
//
// Not here: what the functions of sysbench do, and real sleeping: both are the host's.
package luaffi
