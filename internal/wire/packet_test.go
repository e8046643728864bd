package wire

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"
)

// pieces returns data in reads of at most n bytes.
type pieces struct {
	data []byte
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.n)], p.data)
	p.data = p.data[n:]
	return n, nil
}

// shared is a source with a read buffer that other sources use while it waits, that is at the start of each Read.
type shared struct {
	pieces
	scratch []byte
}

func (s *shared) Scratch() []byte { return s.scratch }

func (s *shared) Read(b []byte) (int, error) {
	for i := range s.scratch {
		s.scratch[i] = 0xee
	}
	return s.pieces.Read(b)
}

// pattern is n bytes that differ from place to place. The first 100,000 do not compress.
func pattern(n int) []byte {
	b := make([]byte, n)
	x := uint32(n) + 1
	for i := range min(n, patternPeriod) {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	for i := patternPeriod; i < n; i *= 2 {
		copy(b[i:], b[:i])
	}
	return b
}

// patternPeriod is a prime, so that no buffer's size hides a mistake.
const patternPeriod = 100_003

func TestPacketEdges(t *testing.T) {
	tests := []struct{ size, fragments int }{
		{0, 1},
		{1, 1},
		{4091, 1},
		{4092, 1},
		{4093, 1},
		{16379, 1},
		{16380, 1},
		{16381, 1},
		{65532, 1},
		{65533, 1},
		{MaxFragment - 1, 1},
		{MaxFragment, 2},
		{MaxFragment + 1, 2},
		{2*MaxFragment - 1, 2},
		{2 * MaxFragment, 3},
	}
	for _, test := range tests {
		payload := pattern(test.size)
		packet, seq := AppendPacket([]byte("x"), 254, payload)
		if got, want := len(packet), 1+test.size+4*test.fragments; got != want {
			t.Errorf("%d: got %d bytes, want %d", test.size, got, want)
		}
		if want := byte((254 + test.fragments) % 256); seq != want {
			t.Errorf("%d: got next sequence number %d, want %d", test.size, seq, want)
		}
		if test.size <= 1<<20 || test.size == MaxFragment { // passes over 16 MiB take time under the race detector
			checkWriters(t, payload, packet, seq)
		}
		// A small packet follows, so that lost or surplus bytes show.
		stream, _ := AppendPacket(packet[1:], seq, []byte("end"))
		for _, n := range []int{1, 3, 1000, 1 << 30} {
			if n < 1<<30 && test.size > 1<<20 {
				if n > 1 {
					continue
				}
				n = 60_000 // spoiling the shared buffer takes time
			}
			scratch := 64 << 10
			if n < 1000 {
				scratch = 64
			}
			for name, src := range map[string]io.Reader{
				"own":    &pieces{stream, n},
				"shared": &shared{pieces{stream, n}, make([]byte, scratch)},
			} {
				if test.size > 1<<20 && (name == "own") != (n == 1<<30) {
					continue // one of each is enough for sizes that take time
				}
				r := NewReader(src, 0)
				r.Seq = 254
				got, err := r.Next()
				if err != nil || !bytes.Equal(got, payload) {
					t.Fatalf("%d by %d, %s: got %d bytes, %v", test.size, n, name, len(got), err)
				}
				if got, err = r.Next(); err != nil || string(got) != "end" {
					t.Fatalf("%d by %d, %s: then got %q, %v", test.size, n, name, got, err)
				}
				r.Release()
				if name == "shared" && (r.in.own != nil || r.in.data != nil || r.big != nil) {
					t.Errorf("%d by %d: an idle reader owns memory", test.size, n)
				}
				if len(r.in.own) > ownBuffer || r.big != nil {
					t.Errorf("%d by %d, %s: a released reader keeps %d and %d bytes", test.size, n, name, len(r.in.own), len(r.big))
				}
				if _, err := r.Next(); err != io.EOF {
					t.Errorf("%d by %d, %s: at the end: got %v", test.size, n, name, err)
				}
			}
		}
	}
}

// checkWriters checks that all ways to write payload make the packet that AppendPacket made after an "x", from
// sequence number 254 on.
func checkWriters(t *testing.T, payload, packet []byte, seq byte) {
	t.Helper()
	finished, seq2 := FinishPacket(append(BeginPacket([]byte("x")), payload...), 1, 254)
	if !bytes.Equal(finished, packet) || seq2 != seq {
		t.Errorf("%d: FinishPacket differs from AppendPacket", len(payload))
	}
	var out bytes.Buffer
	w := NewWriter(&out)
	w.Seq = 254
	if err := w.Write(payload); err != nil || !bytes.Equal(out.Bytes(), packet[1:]) || w.Seq != seq {
		t.Errorf("%d: Writer.Write differs from AppendPacket: %v", len(payload), err)
	}
	out.Reset()
	w.Seq = 254
	if err := w.Send(append(w.Begin(), payload...)); err != nil || !bytes.Equal(out.Bytes(), packet[1:]) || w.Seq != seq {
		t.Errorf("%d: Writer.Send differs from AppendPacket: %v", len(payload), err)
	}
	if cap(w.buf) > ownBuffer {
		t.Errorf("%d: writer keeps %d bytes", len(payload), cap(w.buf))
	}
}

func TestReaderErrors(t *testing.T) {
	good, _ := AppendPacket(nil, 0, []byte("hello"))
	tests := []struct {
		name string
		data []byte
		max  int
		want error
	}{
		{"nothing", nil, 0, io.EOF},
		{"within the header", good[:3], 0, io.ErrUnexpectedEOF},
		{"after the header", good[:4], 0, io.ErrUnexpectedEOF},
		{"within the payload", good[:8], 0, io.ErrUnexpectedEOF},
		{"sequence", []byte{1, 0, 0, 7, 'x'}, 0, &SequenceError{Got: 7, Want: 0}},
		{"sequence of a large packet", append([]byte{0, 0, 1, 7}, pattern(1<<16)...), 0, &SequenceError{Got: 7, Want: 0}},
		{"sequence of an incomplete packet", []byte{9, 0, 0, 7}, 0, &SequenceError{Got: 7, Want: 0}},
		{"limit", good, 4, &TooLargeError{Limit: 4}},
		{"limit of a large packet", []byte{0xff, 0xff, 0xff, 0}, 1 << 20, &TooLargeError{Limit: 1 << 20}},
		{"no second fragment", append([]byte{0xff, 0xff, 0xff, 0}, pattern(MaxFragment)...), 0, io.ErrUnexpectedEOF},
		{"sequence of the second fragment", append(append([]byte{0xff, 0xff, 0xff, 0}, pattern(MaxFragment)...), 0, 0, 0, 9), 0, &SequenceError{Got: 9, Want: 1}},
	}
	for _, test := range tests {
		for name, src := range map[string]io.Reader{
			"own":    &pieces{test.data, 1 << 30},
			"shared": &shared{pieces{test.data, 1 << 30}, make([]byte, 64<<10)},
		} {
			_, err := NewReader(src, test.max).Next()
			same := errors.Is(err, test.want)
			var seq *SequenceError
			var large *TooLargeError
			switch want := test.want.(type) {
			case *SequenceError:
				same = errors.As(err, &seq) && *seq == *want
			case *TooLargeError:
				same = errors.As(err, &large) && *large == *want
			}
			if !same {
				t.Errorf("%s, %s: got %v, want %v", test.name, name, err, test.want)
			}
		}
	}
	r := NewReader(bytes.NewReader([]byte{1, 0, 0, 7, 'x', 1, 0, 0, 3, 'y'}), 0)
	r.AnySeq = true
	for _, want := range []string{"x", "y"} {
		if got, err := r.Next(); err != nil || string(got) != want {
			t.Errorf("any sequence: got %q, %v", got, err)
		}
	}
	stuck := NewReader(readerFunc(func([]byte) (int, error) { return 0, nil }), 0)
	if _, err := stuck.Next(); err != io.ErrNoProgress {
		t.Errorf("source without progress: got %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestReaderKeepsUnreadDataOfTheSharedBuffer(t *testing.T) {
	for _, tail := range []int{1, 3, 4, 10, 20000, 40000} {
		one, seq := AppendPacket(nil, 0, []byte("one"))
		two, _ := AppendPacket(nil, seq, pattern(tail))
		src := &shared{pieces{append(one, two...), 1 << 30}, make([]byte, 64<<10)}
		r := NewReader(src, 0)
		if got, err := r.Next(); err != nil || string(got) != "one" {
			t.Fatal(got, err)
		}
		r.Release()
		for i := range src.scratch {
			src.scratch[i] = 0xee
		}
		if r.Buffered() != len(two) {
			t.Errorf("%d: got %d buffered, want %d", tail, r.Buffered(), len(two))
		}
		if got, err := r.Next(); err != nil || !bytes.Equal(got, pattern(tail)) {
			t.Errorf("%d: got %d bytes, %v", tail, len(got), err)
		}
	}
}

func TestPinnedReaderLeavesTheSharedBufferAlone(t *testing.T) {
	one, seq := AppendPacket(nil, 0, []byte("one"))
	two, _ := AppendPacket(nil, seq, pattern(100))
	src := &shared{pieces{append(one, two...), 1 << 30}, make([]byte, 64<<10)}
	r := NewReader(src, 0)
	r.Pin(true)
	got, err := r.Next()
	for i := range src.scratch {
		src.scratch[i] = 0xee
	}
	if err != nil || string(got) != "one" {
		t.Errorf("got %q, %v", got, err)
	}
	got, err = r.Next()
	for i := range src.scratch {
		src.scratch[i] = 0xee
	}
	if err != nil || !bytes.Equal(got, pattern(100)) {
		t.Errorf("got %q, %v", got, err)
	}
	r.Pin(false)
	r.Release()
	if r.in.own != nil {
		t.Error("the own buffer was not given back")
	}
}

// A length alone must not cost memory.
func TestHostileLengthAllocatesLittle(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		_, err := NewReader(bytes.NewReader([]byte{0xff, 0xff, 0xff, 0, 1, 2, 3}), 0).Next()
		if err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / 100; got > 64<<10 {
		t.Errorf("got %d bytes for each, want at most 64 KiB", got)
	}
}

func TestReaderAllocatesNothing(t *testing.T) {
	packet, _ := AppendPacket(nil, 0, pattern(100))
	src := &shared{pieces{nil, 1 << 30}, make([]byte, 64<<10)}
	r := NewReader(src, 0)
	w := NewWriter(io.Discard)
	got := testing.AllocsPerRun(100, func() {
		w.Seq = 0
		if err := w.Send(append(w.Begin(), packet...)); err != nil {
			t.Fatal(err)
		}
		src.data = packet
		r.Seq = 0
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		r.Release()
	})
	if got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

func TestLengthEncoded(t *testing.T) {
	tests := []struct {
		v    uint64
		size int
	}{{0, 1}, {250, 1}, {251, 3}, {252, 3}, {65535, 3}, {65536, 4}, {1<<24 - 1, 4}, {1 << 24, 9}, {1<<64 - 1, 9}}
	for _, test := range tests {
		b := AppendInt(nil, test.v)
		if len(b) != test.size {
			t.Errorf("%d: got %d bytes, want %d", test.v, len(b), test.size)
		}
		got, rest, ok := Int(append(b, 'x'))
		if !ok || got != test.v || string(rest) != "x" {
			t.Errorf("%d: got %d, %q, %v", test.v, got, rest, ok)
		}
		for i := range b {
			if _, rest, ok := Int(b[:i]); ok || len(rest) != i {
				t.Errorf("%d: cut after %d bytes: no failure", test.v, i)
			}
		}
	}
	for _, first := range []byte{0xfb, 0xff} {
		if _, _, ok := Int([]byte{first, 0, 0, 0, 0, 0, 0, 0, 0, 0}); ok {
			t.Errorf("%#x: no failure", first)
		}
	}
	if s, rest, ok := String(AppendString(nil, "abc")); !ok || string(s) != "abc" || len(rest) != 0 {
		t.Errorf("string: got %q, %q, %v", s, rest, ok)
	}
	if _, _, ok := String([]byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 'x'}); ok {
		t.Error("string longer than its data: no failure")
	}
	if s, rest, ok := NulString([]byte("ab\x00c")); !ok || string(s) != "ab" || string(rest) != "c" {
		t.Errorf("zero-ended string: got %q, %q, %v", s, rest, ok)
	}
	if _, _, ok := NulString([]byte("ab")); ok {
		t.Error("string without its zero byte: no failure")
	}
}
