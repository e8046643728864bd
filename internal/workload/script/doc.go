// Package script runs sysbench's Lua scripts as tests: loading, states, the life of a script in a run and in commands,
// and what scripts find in the global table sysbench (specification 5).
//
// A Script is a file, compiled once. A State is one Lua interpreter that has executed it: the main state, which loads it
// and runs commands, one for each thread, one for interval reports, one for checkpoints. States share nothing but
// compiled code.
//
// Threads of a script may be coroutines of an event loop: whatever blocks goes through State.Thread.Env.
package script
