package wire

import "io"

// Sizes of packets.
const (
	HeaderSize       = 4         // 3 bytes length, 1 byte sequence number
	MaxFragment      = 1<<24 - 1 // payload of one fragment; a fragment of exactly this size is continued by another
	DefaultMaxPacket = 1 << 30   // limit of a joined packet, the largest max_allowed_packet of servers
)

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
	// AnySeq switches the check off. Inside the compressed protocol servers number packets in their own way.
	AnySeq bool

	in  input
	max int
	big []byte // the last packet, when it did not fit
}

// NewReader returns a reader of packets of at most max bytes; 0 means DefaultMaxPacket.
func NewReader(src io.Reader, max int) *Reader {
	r := &Reader{}
	r.Reset(src, max)
	return r
}

// Reset makes the reader read from src, as if new; unread data is lost. It is for changes below the packets,
// such as the start of TLS, when nothing may be buffered, and for new connections.
func (r *Reader) Reset(src io.Reader, max int) {
	if max <= 0 {
		max = DefaultMaxPacket
	}
	r.Seq, r.AnySeq, r.max, r.big = 0, false, max, nil
	r.in.reset(src)
}

// Buffered is the number of bytes that were read and not yet returned.
func (r *Reader) Buffered() int { return r.in.w - r.in.r }

// Next returns the payload of the next packet, valid until the next call of Next, Release, Pin or Reset, and with a
// shared buffer until the source's user parks in any other way. io.EOF means that the stream ended
// between packets, io.ErrUnexpectedEOF within one.
func (r *Reader) Next() ([]byte, error) {
	in := &r.in
	if in.w-in.r < HeaderSize {
		if err := in.ensure(HeaderSize); err != nil {
			return nil, err
		}
	}
	h := in.data[in.r:in.w]
	n := int(h[0]) | int(h[1])<<8 | int(h[2])<<16
	if len(h) < HeaderSize+n || n == MaxFragment {
		if HeaderSize+n > ownBuffer {
			return r.join()
		}
		if h[3] != r.Seq && !r.AnySeq {
			return nil, &SequenceError{Got: h[3], Want: r.Seq}
		}
		if err := in.ensure(HeaderSize + n); err != nil {
			return nil, eofInside(err)
		}
		h = in.data[in.r:in.w]
	}
	if h[3] != r.Seq && !r.AnySeq {
		return nil, &SequenceError{Got: h[3], Want: r.Seq}
	}
	if n > r.max {
		return nil, &TooLargeError{Limit: r.max}
	}
	r.Seq = h[3] + 1
	in.r += HeaderSize + n
	return h[HeaderSize : HeaderSize+n : HeaderSize+n], nil
}

// join reads a packet that is too large for the buffer, or has several fragments.
func (r *Reader) join() ([]byte, error) {
	r.big = r.big[:0]
	for {
		if err := r.in.ensure(HeaderSize); err != nil {
			return nil, eofInside(err)
		}
		h := r.in.data[r.in.r:r.in.w]
		n := int(h[0]) | int(h[1])<<8 | int(h[2])<<16
		if h[3] != r.Seq && !r.AnySeq {
			return nil, &SequenceError{Got: h[3], Want: r.Seq}
		}
		if len(r.big)+n > r.max {
			return nil, &TooLargeError{Limit: r.max}
		}
		r.Seq = h[3] + 1
		r.in.r += HeaderSize
		var err error
		if r.big, err = r.in.collect(r.big, n); err != nil {
			return nil, err
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
	r.in.release()
}

// Pin makes the reader use a buffer of its own (on), so that packets stay valid while the caller parks, or
// the shared buffer again. Without a shared buffer it does nothing.
func (r *Reader) Pin(on bool) {
	r.in.pinned = on
	if on {
		r.in.release()
	}
}
