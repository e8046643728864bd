// Package report turns a finished run into a document for programs: JSON with a published schema, or CSV.
//
// The numbers come from the same engine.Result as the text report. The package measures nothing, prints nothing and
// knows no command line: what it cannot see itself is given to it as Facts.
//
// The Go types are the schema: docs/schema/report-1.json is generated from them, and a test holds both to each other.
// A field may be added within a version; removing one, or changing what it means, needs the next version.
package report

// SchemaVersion is the version of the documents.
const SchemaVersion = 1
