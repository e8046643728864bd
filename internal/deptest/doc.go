// Package deptest holds rules over the source of the whole project: which package may import which, what
// the product may link, how long a file may be. It has tests only.
package deptest
