// Package sysbench is the sysbench face of the program: the command line grammar, the option tables, the
// layouts of help and reports, and the exit codes of sysbench 1.0.20, with deltabench's additions.
//
// Called under the name sysbench it prints what sysbench 1.0.20 prints and nothing else; called as deltabench it
// has the same grammar, lists its own options and adds its own lines below the reports.
//
// A command line is read in two passes (specification 1.6): general, random, log and database options first;
// what is left when the test is known and its options are declared. Our own options belong to the second pass, so that
// a test's option of the same name wins.
//
// The package does not execute tests: see Runner.
package sysbench
