package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// duplex reads from one side and writes to the other.
type duplex struct {
	io.Reader
	io.Writer
}

func compressed(t testing.TB, r io.Reader, w io.Writer, a Algorithm) *Compressed {
	t.Helper()
	c, err := NewCompressed(duplex{r, w}, a, DefaultZstdLevel)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompressedRoundTrip(t *testing.T) {
	for _, a := range []Algorithm{Zlib, Zstd} {
		for _, size := range []int{1, MinCompress - 1, MinCompress, 5000, 70000, MaxFragment, MaxFragment + 1} {
			for name, data := range map[string][]byte{"random": pattern(size), "even": []byte(strings.Repeat("ab", size/2+1))[:size]} {
				if name == "random" && size > 100_000 {
					continue
				}
				var out bytes.Buffer
				w := compressed(t, nil, &out, a)
				if n, err := w.Write(data); n != size || err != nil {
					t.Fatalf("%s %d %s: got %d, %v", a, size, name, n, err)
				}
				frames := byte(size/(MaxFragment+1) + 1)
				if w.Seq != frames {
					t.Errorf("%s %d %s: got sequence number %d, want %d", a, size, name, w.Seq, frames)
				}
				packed := out.Len()
				switch {
				case size < MinCompress || name == "random":
					if packed != size+7*int(frames) {
						t.Errorf("%s %d %s: got %d bytes, want them stored", a, size, name, packed)
					}
				case packed >= size && size > 1000: // the library leaves very short data alone
					t.Errorf("%s %d %s: got %d bytes, want fewer", a, size, name, packed)
				}
				var src io.Reader = &out
				if size == 5000 {
					src = &pieces{out.Bytes(), 1}
				}
				r := compressed(t, src, nil, a)
				got, err := io.ReadAll(r)
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s %d %s: read %d bytes, %v", a, size, name, len(got), err)
				}
				if r.Seq != frames {
					t.Errorf("%s %d %s: got sequence number %d after reading, want %d", a, size, name, r.Seq, frames)
				}
				if cap(r.plain) > ownBuffer || cap(r.packed) > ownBuffer || cap(w.packed) > ownBuffer {
					t.Errorf("%s %d %s: keeps %d, %d and %d bytes", a, size, name, cap(r.plain), cap(r.packed), cap(w.packed))
				}
			}
		}
	}
}

// Packets of any size and number in frames of any size.
func TestPacketsInFrames(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(compressed(t, nil, &out, Zlib))
	sizes := []int{0, 1, 40, 60, 20000, 3, 1 << 20}
	for _, n := range sizes {
		if err := w.Write(pattern(n)); err != nil {
			t.Fatal(err)
		}
	}
	src := &shared{pieces{out.Bytes(), 1000}, make([]byte, 64<<10)}
	c, err := NewCompressed(struct {
		*shared
		io.Writer
	}{src, nil}, Zlib, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(c, 0)
	for _, n := range sizes {
		if got, err := r.Next(); err != nil || !bytes.Equal(got, pattern(n)) {
			t.Errorf("%d: got %d bytes, %v", n, len(got), err)
		}
	}
	r.Release()
	if c.in.own != nil || c.in.data != nil {
		t.Error("an idle stream owns a read buffer")
	}
}

func TestCompressedErrors(t *testing.T) {
	frame := func(a Algorithm, contents int) []byte {
		var out bytes.Buffer
		if _, err := compressed(t, nil, &out, a).Write([]byte(strings.Repeat("a", contents))); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	for _, a := range []Algorithm{Zlib, Zstd} {
		good := frame(a, 1000)
		edit := func(at int, add byte) []byte {
			b := bytes.Clone(good)
			b[at] += add
			return b
		}
		tests := []struct {
			name string
			data []byte
			want error
		}{
			{"nothing", nil, io.EOF},
			{"within the header", good[:5], io.ErrUnexpectedEOF},
			{"within the contents", good[:10], io.ErrUnexpectedEOF},
			{"longer than stated", edit(4, ^byte(0)), ErrMalformed},
			{"shorter than stated", edit(4, 1), ErrMalformed},
			{"start", edit(7, 1), ErrMalformed},
			{"cut", append([]byte{byte(len(good) - 8), 0, 0, 0, good[4], good[5], 0}, good[7:len(good)-1]...), ErrMalformed},
		}
		if a == Zlib {
			tests = append(tests, struct {
				name string
				data []byte
				want error
			}{"checksum", edit(len(good)-1, 1), ErrMalformed})
		}
		for _, test := range tests {
			_, err := compressed(t, bytes.NewReader(test.data), nil, a).Read(make([]byte, 10))
			if !errors.Is(err, test.want) {
				t.Errorf("%s, %s: got %v, want %v", a, test.name, err, test.want)
			}
		}
		// The codec is usable after bad input.
		if got, err := io.ReadAll(compressed(t, bytes.NewReader(good), nil, a)); err != nil || len(got) != 1000 {
			t.Errorf("%s: after errors: got %d bytes, %v", a, len(got), err)
		}
	}
	if _, err := NewCompressed(nil, "lz4", 0); err == nil || err.Error() != `unknown compression algorithm "lz4"; known are zlib, zstd` {
		t.Errorf("unknown algorithm: got %v", err)
	}
	if _, err := NewCompressed(nil, Zstd, 23); err == nil || err.Error() != "zstd level 23 is not between 1 and 22" {
		t.Errorf("level: got %v", err)
	}
	failed := errors.New("broken pipe")
	c, err := NewCompressed(duplex{nil, writerFunc(func([]byte) (int, error) { return 0, failed })}, Zlib, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("x")); err != failed {
		t.Errorf("write: got %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Stated lengths alone must not cost memory.
func TestHostileFrameAllocatesLittle(t *testing.T) {
	for _, a := range []Algorithm{Zlib, Zstd} {
		data := []byte{0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff, 1, 2, 3}
		for range 10 { // fill the pools
			_, _ = compressed(t, bytes.NewReader(data), nil, a).Read(make([]byte, 10))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100 {
			if _, err := compressed(t, bytes.NewReader(data), nil, a).Read(make([]byte, 10)); err != io.ErrUnexpectedEOF {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) / 100; got > 64<<10 {
			t.Errorf("%s: got %d bytes for each, want at most 64 KiB", a, got)
		}
	}
}

func BenchmarkCompressedRoundTrip(b *testing.B) {
	for _, a := range []Algorithm{Zlib, Zstd} {
		b.Run(fmt.Sprintf("algorithm=%s", a), func(b *testing.B) {
			data := []byte(strings.Repeat("SELECT c FROM sbtest1 WHERE id=12345 ", 5))
			var stream bytes.Buffer
			c := compressed(b, &stream, &stream, a)
			buf := make([]byte, 1024)
			b.ReportAllocs()
			for b.Loop() {
				c.Seq = 0
				if _, err := c.Write(data); err != nil {
					b.Fatal(err)
				}
				if _, err := c.Read(buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
