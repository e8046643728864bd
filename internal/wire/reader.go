package wire

import (
	"io"
	"sync"
)

// Sizes of packets.
const (
	HeaderSize       = 4         // 3 bytes length, 1 byte sequence number
	MaxFragment      = 1<<24 - 1 // payload of one fragment; a fragment of exactly this size is continued by another
	DefaultMaxPacket = 1 << 30   // limit of a joined packet, the largest max_allowed_packet of servers
)

// Sizes of a reader's own buffer.
const (
	firstBuffer = 4 << 10
	ownBuffer   = 16 << 10
)

// scratcher is a source with a read buffer that it shares with other sources (the event loop's
// connections). The contents are valid until the source's next Read that may park.
type scratcher interface{ Scratch() []byte }

// pool holds own buffers of readers whose source has a shared buffer. They need one only for packets that
// arrive in pieces, so that few are in use at any time.
var pool = sync.Pool{New: func() any { return new([ownBuffer]byte) }}

// Reader reads packets, joining fragments and checking sequence numbers. After an error it cannot be used
// further. Not safe for concurrent use.
//
// When the source has a method Scratch() []byte, packets are read into that shared buffer, and the
// reader owns memory only while a packet is incomplete. Such a reader must be told with Release when a response
// has been read. Other readers keep a buffer of 4 to 16 KiB. Larger packets get memory as their data arrives:
// a length alone allocates nothing.
type Reader struct {
	// Seq is the sequence number that the next fragment must have. Set it to the writer's after sending
	// a command.
	Seq byte

	src       io.Reader
	scratch   scratcher // nil: none
	max       int
	pinned    bool
	inScratch bool   // data is the shared buffer
	data      []byte // data[r:w] is unread
	r, w      int
	own       []byte           // nil: none; firstBuffer or ownBuffer bytes
	pooled    *[ownBuffer]byte // own is this
	big       []byte           // the last packet, when it did not fit
}

// NewReader returns a reader of packets of at most max bytes; 0 means DefaultMaxPacket.
func NewReader(src io.Reader, max int) *Reader {
	r := &Reader{}
	r.Reset(src, max)
	return r
}

// Reset makes the reader read from src, as if new; unread data is lost. It is for changes below the packets,
// such as the start of TLS, when nothing can be buffered, and for new connections.
func (r *Reader) Reset(src io.Reader, max int) {
	r.free()
	if max <= 0 {
		max = DefaultMaxPacket
	}
	*r = Reader{src: src, max: max}
	r.scratch, _ = src.(scratcher)
}

// Buffered is the number of bytes that were read and not yet returned.
func (r *Reader) Buffered() int { return r.w - r.r }

// Next returns the payload of the next packet, valid until the next call of Next, Release, Pin or Reset, and with a
// shared buffer until the source's user parks in any other way. io.EOF means that the stream ended
// between packets, io.ErrUnexpectedEOF within one.
func (r *Reader) Next() ([]byte, error) {
	if r.w-r.r < HeaderSize {
		if err := r.ensure(HeaderSize); err != nil {
			return nil, err
		}
	}
	h := r.data[r.r:r.w]
	n := int(h[0]) | int(h[1])<<8 | int(h[2])<<16
	if h[3] != r.Seq {
		return nil, &SequenceError{Got: h[3], Want: r.Seq}
	}
	if n > r.max {
		return nil, &TooLargeError{Limit: r.max}
	}
	if len(h) < HeaderSize+n || n == MaxFragment {
		if HeaderSize+n > ownBuffer {
			return r.join()
		}
		if err := r.ensure(HeaderSize + n); err != nil {
			return nil, eofInside(err)
		}
	}
	r.Seq++
	start := r.r + HeaderSize
	r.r = start + n
	return r.data[start:r.r:r.r], nil
}

// join reads a packet that is too large for the buffer, or has several fragments.
func (r *Reader) join() ([]byte, error) {
	r.big = r.big[:0]
	for {
		if err := r.ensure(HeaderSize); err != nil {
			return nil, eofInside(err)
		}
		h := r.data[r.r:r.w]
		n := int(h[0]) | int(h[1])<<8 | int(h[2])<<16
		if h[3] != r.Seq {
			return nil, &SequenceError{Got: h[3], Want: r.Seq}
		}
		if len(r.big)+n > r.max {
			return nil, &TooLargeError{Limit: r.max}
		}
		r.Seq++
		r.r += HeaderSize
		for left := n; left > 0; {
			if r.r == r.w {
				if err := r.fill(); err != nil {
					return nil, eofInside(err)
				}
			}
			piece := r.data[r.r:min(r.w, r.r+left)]
			r.big = append(r.big, piece...)
			r.r += len(piece)
			left -= len(piece)
		}
		if n < MaxFragment {
			return r.big, nil
		}
	}
}

// Release ends the use of the shared buffer and of memory for large packets. Call it when a response is
// complete, before anything that may park. Unread data, normally none, is kept.
func (r *Reader) Release() {
	r.big = nil
	switch {
	case r.r != r.w:
		if r.inScratch {
			r.move(r.w - r.r)
		}
	case r.pooled != nil || r.inScratch:
		r.free()
	}
}

// Pin makes the reader use a buffer of its own (on), so that packets stay valid while the caller parks, or
// the shared buffer again. Without a shared buffer it does nothing.
func (r *Reader) Pin(on bool) {
	r.pinned = on
	if on && r.inScratch {
		r.Release()
	}
}

// ensure makes n bytes readable at r.r; n is at most ownBuffer.
func (r *Reader) ensure(n int) error {
	for r.w-r.r < n {
		if r.w > r.r && (r.inScratch || len(r.data)-r.r < n) {
			r.move(n)
		}
		if err := r.fill(); err != nil {
			if r.w > r.r {
				err = eofInside(err)
			}
			return err
		}
	}
	return nil
}

// move makes room for n bytes from r.r on in the reader's own buffer, and moves unread data there.
func (r *Reader) move(n int) {
	unread := r.data[r.r:r.w]
	n = max(n, len(unread))
	if len(r.own) < n {
		switch {
		case n > ownBuffer: // only unread data of the shared buffer that no response was expected for
			r.own, r.pooled = make([]byte, n), nil
		case r.scratch != nil:
			r.pooled = pool.Get().(*[ownBuffer]byte)
			r.own = r.pooled[:]
		case n <= firstBuffer:
			r.own = make([]byte, firstBuffer)
		default:
			r.own = make([]byte, ownBuffer)
		}
	}
	r.w = copy(r.own, unread)
	r.r = 0
	r.data, r.inScratch = r.own, false
}

// fill reads once, after the unread data. It needs room there unless there is no unread data.
func (r *Reader) fill() error {
	if r.r == r.w {
		r.r, r.w = 0, 0
		switch {
		case r.scratch != nil && !r.pinned:
			r.free()
			r.data, r.inScratch = r.scratch.Scratch(), true
		case len(r.data) == 0 || r.inScratch:
			r.data = nil
			r.move(1)
		}
	}
	for range 100 {
		n, err := r.src.Read(r.data[r.w:])
		if n < 0 || n > len(r.data)-r.w {
			return io.ErrNoProgress
		}
		r.w += n
		if n > 0 {
			return nil // an error comes again
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// free gives the buffers back; there is no unread data.
func (r *Reader) free() {
	if r.pooled != nil {
		pool.Put(r.pooled)
	}
	if r.pooled != nil || r.inScratch || r.scratch != nil {
		r.pooled, r.own, r.data = nil, nil, nil
	}
	r.inScratch, r.r, r.w = false, 0, 0
}

// eofInside turns the end of the stream into an unexpected one.
func eofInside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
