// Package table writes comparisons and published figures for people and programs: as tables for terminals and Markdown, as
// CSV, JSON and in the Go benchmark format. It computes no statistics: claims come from package compare, and what a claim
// carries (n, interval, adjusted p, warnings, refusals) is written with it or not at all.
//
// A change is written as `−12.9 % [−13.6, −12.1] n=8 worse`: estimate, interval, rounds and verdict. The width of the interval
// decides how many digits there are. What is not known or not finite is written as `–` with a footnote, never as a number.
//
// CSV, JSON and the benchmark format have all lines, whatever the layout; layouts are for terminals and Markdown.
package table
