package nullserver

import "deltabench/internal/wire"

// variant selects the encoding of a canned reply.
type variant uint8

const (
	variantDeprecateEOF variant = 1 << iota
	variantCache
	variantBinary
	variants
)

// capsOf are the capabilities that a variant's encoding depends on.
func (v variant) caps() wire.Capability {
	var c wire.Capability
	if v&variantDeprecateEOF != 0 {
		c |= wire.DeprecateEOF
	}
	if v&variantCache != 0 {
		c |= wire.MariaDBCacheMetadata
	}
	return c
}

// variantOf is the variant of text replies on a connection.
func variantOf(caps wire.Capability) variant {
	var v variant
	if caps.Has(wire.DeprecateEOF) {
		v |= variantDeprecateEOF
	}
	if caps.Has(wire.MariaDBCacheMetadata) {
		v |= variantCache
	}
	return v
}

// canned is a reply, encoded once for each variant that is used.
type canned struct {
	reply *Reply
	bytes [variants][]byte
}

// packets returns the reply to a command, whose sequence number was 0.
func (c *canned) packets(v variant) []byte {
	if b := c.bytes[v]; b != nil {
		return b
	}
	e := encoder{caps: v.caps(), seq: 1, status: wire.StatusAutocommit}
	binary := v&variantBinary != 0
	// Prepared statements told their columns when they were prepared; a text query never did.
	metadata := !binary || v&variantCache == 0
	if err := e.reply(c.reply, binary, metadata); err != nil {
		e = encoder{seq: 1}
		e.err(&wire.ERR{Code: 1105, State: "HY000", Message: "nullserver: " + err.Error()})
	}
	c.bytes[v] = e.dst
	return e.dst
}

// shelf holds canned replies by shape. It belongs to one event loop.
type shelf struct {
	answers Answers
	ok      canned
	write   canned
	lists   map[string]*listReplies // by select list
	known   int
}

// listReplies holds the replies of a select list: the two usual numbers of rows are at hand.
type listReplies struct {
	one, ranged *canned
	other       map[int]*canned
}

// maxShelf bounds what hostile clients can fill; further replies are built for each query.
const maxShelf = 2048

func newShelf(a Answers) *shelf {
	if a.RangeRows == 0 {
		a.RangeRows = defaultRangeRows
	}
	return &shelf{
		answers: a,
		ok:      canned{reply: Affected(0)},
		write:   canned{reply: Affected(1)},
		lists:   map[string]*listReplies{},
	}
}

// answer returns the reply to a statement.
func (s *shelf) answer(sql []byte) *canned {
	sh := s.answers.shape(sql)
	switch sh.kind {
	case shapeOK:
		return &s.ok
	case shapeWrite:
		return &s.write
	}
	l := s.lists[string(sh.list)]
	if l == nil {
		if s.known >= maxShelf {
			return &canned{reply: s.answers.reply(sh)}
		}
		s.known++
		l = &listReplies{other: map[int]*canned{}}
		s.lists[string(sh.list)] = l
	}
	place := &l.one
	switch sh.rows {
	case 1:
	case s.answers.RangeRows:
		place = &l.ranged
	default:
		if c := l.other[sh.rows]; c != nil {
			return c
		}
		c := &canned{reply: s.answers.reply(sh)}
		if s.known < maxShelf {
			s.known++
			l.other[sh.rows] = c
		}
		return c
	}
	if *place == nil {
		*place = &canned{reply: s.answers.reply(sh)}
	}
	return *place
}
