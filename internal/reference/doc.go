// Package reference holds five published sets of figures about sysbench and MySQL, as comparisons that package table prints in the
// layouts of the publications. Every percentage is computed anew from the values beside it; where the publication printed another one,
// both are there.
//
// The figures are one number for each cell, without repeats: no interval can be computed of them, and no verdict is given.
package reference
