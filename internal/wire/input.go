package wire

import (
	"io"
	"sync"
)

// Sizes of a reader's own buffer.
const (
	firstBuffer = 4 << 10
	ownBuffer   = 16 << 10
)

// scratcher is a source with a read buffer that it shares with other sources (the event loop's
// connections). The contents are valid until the source's next Read that may park.
type scratcher interface{ Scratch() []byte }

// pool holds own buffers of inputs whose source has a shared buffer. They need one only for packets that
// arrive in pieces, so that few are in use at any time.
var pool = sync.Pool{New: func() any { return new([ownBuffer]byte) }}

// input buffers a source, in the source's shared buffer where it has one.
type input struct {
	src       io.Reader
	scratch   scratcher // nil: none
	pinned    bool      // the shared buffer is not to be used
	inScratch bool      // data is the shared buffer
	data      []byte    // data[r:w] is unread
	r, w      int
	own       []byte           // nil: none; firstBuffer or ownBuffer bytes
	pooled    *[ownBuffer]byte // own is this
}

// reset frees the buffers, losing unread data, and starts anew with src.
func (in *input) reset(src io.Reader) {
	in.r, in.w = 0, 0
	in.free()
	*in = input{src: src}
	in.scratch, _ = src.(scratcher)
}

// release ends the use of the shared buffer; unread data is kept.
func (in *input) release() {
	switch {
	case in.r != in.w:
		if in.inScratch {
			in.move(in.w - in.r)
		}
	case in.pooled != nil || in.inScratch:
		in.free()
	}
}

// ensure makes n bytes readable at in.r; n is at most ownBuffer. io.EOF means that there was no byte.
func (in *input) ensure(n int) error {
	for in.w-in.r < n {
		if in.w > in.r && (in.inScratch || len(in.data)-in.r < n) {
			in.move(n)
		}
		if err := in.fill(); err != nil {
			if in.w > in.r {
				err = eofInside(err)
			}
			return err
		}
	}
	return nil
}

// collect appends the next n bytes to dst, which grows as they arrive.
func (in *input) collect(dst []byte, n int) ([]byte, error) {
	for n > 0 {
		if in.r == in.w {
			if err := in.fill(); err != nil {
				return dst, eofInside(err)
			}
		}
		piece := in.data[in.r:min(in.w, in.r+n)]
		dst = append(dst, piece...)
		in.r += len(piece)
		n -= len(piece)
	}
	return dst, nil
}

// move makes room for n bytes from in.r on in the own buffer, and moves unread data there.
func (in *input) move(n int) {
	unread := in.data[in.r:in.w]
	n = max(n, len(unread))
	if len(in.own) < n {
		switch {
		case n > ownBuffer: // only what the shared buffer held beyond the end of a response
			in.own, in.pooled = make([]byte, n), nil
		case in.scratch != nil:
			in.pooled = pool.Get().(*[ownBuffer]byte)
			in.own = in.pooled[:]
		case n <= firstBuffer:
			in.own = make([]byte, firstBuffer)
		default:
			in.own = make([]byte, ownBuffer)
		}
	}
	in.w = copy(in.own, unread)
	in.r = 0
	in.data, in.inScratch = in.own, false
}

// fill reads once, after the unread data. It needs room there unless there is no unread data.
func (in *input) fill() error {
	if in.r == in.w {
		in.r, in.w = 0, 0
		switch {
		case in.scratch != nil && !in.pinned:
			in.free()
			in.data, in.inScratch = in.scratch.Scratch(), true
		case len(in.data) == 0 || in.inScratch:
			in.data = nil
			in.move(1)
		}
	}
	for range 100 {
		n, err := in.src.Read(in.data[in.w:])
		if n < 0 || n > len(in.data)-in.w {
			return io.ErrNoProgress
		}
		in.w += n
		if n > 0 {
			return nil // an error comes again
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// free gives the buffers back, except those of inputs without a shared one. There is no unread data.
func (in *input) free() {
	if in.pooled != nil {
		pool.Put(in.pooled)
	}
	if in.inScratch || in.scratch != nil {
		in.pooled, in.own, in.data = nil, nil, nil
	}
	in.inScratch, in.r, in.w = false, 0, 0
}

// eofInside turns the end of the stream into an unexpected one.
func eofInside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
