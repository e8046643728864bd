// Package interleave executes command lines of this program in rounds: every one once per round, in a shuffled order, each
// as a child process. It hands over the report of every run; what follows from them is the caller's.
//
// Why rounds: what changes slowly on a machine (temperature, neighbours, caches) is the same for both sides of a round and
// drops out of their ratio. Blocks of one side after the other find differences between identical systems (specification of
// statistics, section 8).
package interleave
