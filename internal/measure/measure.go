// Package measure counts and times what threads do: queries by class, errors by code, latency
// histograms, interval and cumulative views. It has no clock and no policy; all times are nanoseconds
// given by the caller.
package measure

// Class is the kind of a query as sysbench counts it, decided from the server's reply.
type Class uint8

// Classes of queries.
const (
	Read Class = iota
	Write
	Other
)

// Kind labels a statement for latency by statement; an index into the list of names given to the recorder.
// KindNone is not recorded.
type Kind uint16

// KindNone is the label of statements whose latency is not wanted.
const KindNone Kind = 0
