// Package embedded is a server with MySQL's protocol and SQL for seeing how deltabench works and for tests: nothing to
// install, nothing left behind. Protocol, parser and planner are dolthub/go-mysql-server; tables, indexes, row locks and
// transactions are this package's, because that library's memory tables scan.
//
// It is not a model of MySQL's performance, and its numbers say nothing about a MySQL.
//
// # Storage
//
// A row has a slot (slot), found in a tree by its primary key. The slot's row is replaced as a whole, never changed, so
// readers need no lock: they take the entries of an index at once and each row as it is when its turn comes (scan). That
// is READ UNCOMMITTED. Writers own a slot until their transaction ends (locks); statements that write own what they
// read before they look at it, so no update is lost. Changes are made in place and undone from a list (txn).
package embedded
