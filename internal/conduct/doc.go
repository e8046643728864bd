// Package conduct executes the plan of a study: it brings servers into their states, runs every cell of every round once as a child
// process, collects evidence, records each run at once, and puts back what it changed, also after it was killed. What follows from the
// runs is package findings'.
package conduct
