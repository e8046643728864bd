// Package schema holds the published schemas of what deltabench writes, so that the program can print them.
package schema

import _ "embed" // the *.json files

// Report1 is the JSON Schema of reports, version 1. It is generated from package report, whose test holds it.
//
//go:embed report-1.json
var Report1 []byte

// Comparisons1 is the JSON Schema of comparisons, version 1, which package table writes; its test holds both to each other.
//
//go:embed comparisons-1.json
var Comparisons1 []byte

// Study1 is the JSON Schema of study files, version 1, for editors. It is generated from package study, whose test holds it.
//
//go:embed study-1.json
var Study1 []byte
