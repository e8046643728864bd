// Package store keeps finished runs in a file: an SQLite database with the document of each run, its tags and note, and
// tables made from the document so that runs can be queried with SQL (docs/store.md). A run is either there completely or
// not at all, and it is on the disk when Record returns. Several processes may use a store at once.
//
// The document is the truth, the tables are made from it: what a later version of the schema adds is filled in from the
// documents that are there.
package store
