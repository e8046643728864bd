// Package nullserver is a MySQL server without a database, for benchmarks and tests: it answers at once,
// after a set delay, not at all, or wrongly. It stores nothing; replies come from a function, by default one
// that knows the statements of sysbench's bundled workloads (Answers).
//
// There are two engines behind one set of Options:
//
//   - Listen starts the scriptable one, a goroutine per connection: every login method, TLS, compression,
//     protocol variants, stalls, faults, and a record of when each command came and was answered.
//   - ListenFast starts the one for benchmarks (Linux): event loops that send replies computed once, so that a
//     query costs little more than one read and one write. It takes any user and password.
//
// Both listen where they are told and are meant for 127.0.0.1 and Unix sockets only.
package nullserver
