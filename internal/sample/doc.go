// Package sample makes finished runs comparable, wherever they come from: the store, JSON reports, or the text that
// sysbench prints. It says what was measured (metrics), how alike runs are (facts), and whether a run had settled; it judges
// nothing and prints nothing.
package sample
