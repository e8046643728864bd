// Package findings turns the recorded runs of a study into what it says: comparisons in the published layouts, the answer in a
// sentence, evidence for what moved, published statements held against the results, and charts as data. It measures nothing and
// draws nothing.
package findings
