// Package loop is an event loop with coroutines: thousands of tasks that look as if they block, on one goroutine.
//
// A Loop owns a poller (epoll), a timer heap and its tasks. A Task is an iter.Pull coroutine: ordinary direct-style code
// ("send the query, read the reply"). Where it would block it parks, which costs a switch to the loop and back, and no
// channel, scheduler hand-off or wake-up of a goroutine. Conn is a net.Conn on top of that. The package knows nothing of
// what is said over connections, and it does not listen.
//
// A query costs a send and a recv, and its share of an epoll_wait; nothing is allocated. A resumption costs about what
// iter.Pull does (some 70 ns on an idle machine). A parked task takes about 3 KB, stack and connection included; the
// read buffer is shared by all tasks of a loop, see Conn.Scratch.
//
// # Rules inside a task
//
//   - No channel wait, no contended mutex, no blocking call: they stop all tasks of the loop.
//   - No runtime.LockOSThread (switching away from a locked thread is fatal in places and slow in others), and no
//     goroutine that uses the task or its connections.
//   - A panic ends the task only. runtime.Goexit ends the loop: Run interrupts the other tasks, and its goroutine ends.
//
// # A turn of the loop
//
// Posted functions, then a poll, then all events of the poll are noted in their connections, then timers; only then
// are the tasks that became ready resumed, in that order. So no event can reach a connection that took over the
// descriptor of one closed in the same turn.
//
// # Lag
//
// Reading the clock for each event would cost more than the loop itself. A batch of n resumptions that took D ns is
// read twice, and the i-th is taken to have been resumed D*i/n into it. The k-th of m events that were found without
// sleeping is taken to have arrived k/m into the batch before, since the kernel lists events in order of arrival. After
// a sleep the events have just arrived. The mean of this is that of "half of the previous batch plus one's place in
// this one".
package loop
