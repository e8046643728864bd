// Package studypage writes findings as one HTML file that needs nothing else: no server, no network, no other file. It
// computes no result: numbers, sentences and verdicts come from package findings, tables from package table.
//
// # The page
//
// Templates, style and script are files of this directory, embedded. The page forbids itself every request by a content
// security policy; the two scripts that may run are named there by their hashes, so that a name which looks like markup stays
// a name even if an escape were forgotten. Everything is readable without JavaScript: pictures are there as SVG, and replaced
// by interactive ones (Apache ECharts, directory echarts) when the script runs. Paper gets the SVG.
//
// # Charts
//
// A chart is drawn twice from one [picture]: by page.js for the screen, by draw for paper and readers without JavaScript.
// Both know lines, intervals, scales and marks, but no kinds of charts. A new kind is a constant in package findings and a
// function in the map kinds that makes a picture of it; neither drawing changes.
package studypage
