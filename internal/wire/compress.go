package wire

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// compressedHeader is the header of a compressed frame: 3 bytes length as sent, 1 byte sequence number, 3 bytes
// length of the contents, 0 when they are not compressed.
const compressedHeader = 7

// MinCompress is the number of bytes from which on frames are compressed, as in servers.
const MinCompress = 50

// Algorithm is a way to compress frames.
type Algorithm string

// The algorithms.
const (
	Zlib Algorithm = "zlib"
	Zstd Algorithm = "zstd"
)

// DefaultZstdLevel is what clients ask for when nothing is said.
const DefaultZstdLevel = 3

// codec compresses and expands whole frames. Its state is large (some 100 KiB), so codecs are shared by all
// connections and used for one frame at a time, never across a read or write.
type codec interface {
	compress(dst, src []byte) []byte
	// expand appends the contents of src, which must be n bytes long.
	expand(dst, src []byte, n int) ([]byte, error)
}

type zlibCodec struct {
	w   *zlib.Writer
	r   io.ReadCloser // also a zlib.Resetter; nil until first used
	src bytes.Reader
}

func (c *zlibCodec) compress(dst, src []byte) []byte {
	buf := bytes.NewBuffer(dst)
	if c.w == nil {
		c.w = zlib.NewWriter(buf)
	} else {
		c.w.Reset(buf)
	}
	// Writes to a bytes.Buffer do not fail.
	_, _ = c.w.Write(src)
	_ = c.w.Close()
	return buf.Bytes()
}

func (c *zlibCodec) expand(dst, src []byte, n int) ([]byte, error) {
	c.src.Reset(src)
	if c.r == nil {
		r, err := zlib.NewReader(&c.src)
		if err != nil {
			return dst, fmt.Errorf("%w: compressed frame: %w", ErrMalformed, err)
		}
		c.r = r
	} else if err := c.r.(zlib.Resetter).Reset(&c.src, nil); err != nil {
		return dst, fmt.Errorf("%w: compressed frame: %w", ErrMalformed, err)
	}
	buf := bytes.NewBuffer(dst)
	// One byte more than stated shows that there is more, and reads the checksum when there is not.
	got, err := io.Copy(buf, io.LimitReader(c.r, int64(n)+1))
	if err != nil {
		return buf.Bytes(), fmt.Errorf("%w: compressed frame: %w", ErrMalformed, err)
	}
	if got != int64(n) {
		return buf.Bytes(), malformed("compressed frame", "contents are not as long as stated")
	}
	return buf.Bytes(), nil
}

type zstdCodec struct {
	e *zstd.Encoder
	d *zstd.Decoder
}

func (c *zstdCodec) compress(dst, src []byte) []byte { return c.e.EncodeAll(src, dst) }

func (c *zstdCodec) expand(dst, src []byte, n int) ([]byte, error) {
	start := len(dst)
	dst, err := c.d.DecodeAll(src, dst)
	if err != nil {
		return dst, fmt.Errorf("%w: compressed frame: %w", ErrMalformed, err)
	}
	if len(dst)-start != n {
		return dst, malformed("compressed frame", "contents are not as long as stated")
	}
	return dst, nil
}

// newZstd cannot fail with these options.
func newZstd(level int) *zstdCodec {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err)
	}
	// One frame holds at most MaxFragment bytes.
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxFragment+1), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err)
	}
	return &zstdCodec{e: e, d: d}
}

var (
	zlibCodecs = sync.Pool{New: func() any { return &zlibCodec{} }}
	zstdCodecs [23]sync.Pool // by level 1-22
)

// Compressed is the compressed protocol over rw: what is written is sent in frames, what is read comes out of
// frames. Packets are as without compression inside, but their sequence numbers mean nothing. Not safe for
// concurrent use.
type Compressed struct {
	// Seq is the sequence number of the next frame. Set it to 0 before each command. Numbers of received
	// frames are not checked, as in other clients: servers answer early, for example to a packet too large.
	Seq byte

	w      io.Writer
	in     input
	pool   *sync.Pool
	level  int
	plain  []byte // contents of the current frame, plain[r:] is unread
	r      int
	packed []byte // compressed frame, in either direction
}

// NewCompressed returns a compressed stream over rw. level matters for zstd only: 1 to 22.
func NewCompressed(rw io.ReadWriter, algorithm Algorithm, level int) (*Compressed, error) {
	c := &Compressed{w: rw, level: level}
	switch algorithm {
	case Zlib:
		c.pool = &zlibCodecs
	case Zstd:
		if level < 1 || level >= len(zstdCodecs) {
			return nil, fmt.Errorf("zstd level %d is not between 1 and %d", level, len(zstdCodecs)-1)
		}
		c.pool = &zstdCodecs[level]
	default:
		return nil, fmt.Errorf("unknown compression algorithm %q; known are zlib, zstd", algorithm)
	}
	c.in.reset(rw)
	return c, nil
}

func (c *Compressed) codec() codec {
	if v, ok := c.pool.Get().(codec); ok {
		return v
	}
	return newZstd(c.level)
}

// Read returns contents of frames.
func (c *Compressed) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for c.r == len(c.plain) {
		if err := c.frame(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.plain[c.r:])
	c.r += n
	if c.r == len(c.plain) {
		c.plain, c.r = keep(c.plain), 0
	}
	return n, nil
}

// keep returns b for reuse, emptied, unless it is large.
func keep(b []byte) []byte {
	if cap(b) > ownBuffer {
		return nil
	}
	return b[:0]
}

// frame reads the next frame into plain.
func (c *Compressed) frame() error {
	if err := c.in.ensure(compressedHeader); err != nil {
		return err
	}
	h := c.in.data[c.in.r:c.in.w]
	n := int(h[0]) | int(h[1])<<8 | int(h[2])<<16
	contents := int(h[4]) | int(h[5])<<8 | int(h[6])<<16
	c.Seq = h[3] + 1
	c.in.r += compressedHeader
	defer c.in.release()
	var err error
	c.r = 0
	if contents == 0 {
		c.plain, err = c.in.collect(c.plain[:0], n)
		return err
	}
	c.packed, err = c.in.collect(c.packed[:0], n)
	if err != nil {
		return err
	}
	k := c.codec()
	c.plain, err = k.expand(c.plain[:0], c.packed, contents)
	c.packed = keep(c.packed)
	if err != nil {
		c.plain = nil
		return err
	}
	c.pool.Put(k)
	return nil
}

// Write sends p in frames of at most MaxFragment bytes, with one Write below.
func (c *Compressed) Write(p []byte) (int, error) {
	out := c.packed[:0]
	k := c.codec()
	for left := p; len(left) > 0; {
		piece := left[:min(len(left), MaxFragment)]
		left = left[len(piece):]
		start := len(out)
		out = append(out, 0, 0, 0, c.Seq, byte(len(piece)), byte(len(piece)>>8), byte(len(piece)>>16))
		c.Seq++
		body := len(out)
		if len(piece) >= MinCompress {
			out = k.compress(out, piece)
		}
		if len(piece) < MinCompress || len(out)-body >= len(piece) {
			out = append(out[:body], piece...)
			out[start+4], out[start+5], out[start+6] = 0, 0, 0
		}
		n := len(out) - body
		out[start], out[start+1], out[start+2] = byte(n), byte(n>>8), byte(n>>16)
	}
	c.pool.Put(k)
	c.packed = keep(out)
	if _, err := c.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
