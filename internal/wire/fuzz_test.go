package wire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"testing"
)

// Longer inputs are covered by tests; short ones let the fuzzer try more of them.
const maxFuzzInput = 1 << 16

// FuzzReader: any stream is packets or an error, the same whatever the size of reads and the kind of buffer, and what was
// read and written again is the same stream.
func FuzzReader(f *testing.F) {
	one, seq := AppendPacket(nil, 0, []byte("one"))
	two, _ := AppendPacket(one, seq, pattern(300))
	f.Add(two, uint16(1))
	f.Add([]byte{0xff, 0xff, 0xff, 0, 1, 2, 3}, uint16(2))
	f.Add([]byte{1, 0, 0, 9, 'x'}, uint16(100))
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		if len(data) > maxFuzzInput {
			return
		}
		readAll := func(src io.Reader) (packets [][]byte, end error) {
			r := NewReader(src, 1<<20)
			for {
				p, err := r.Next()
				if err != nil {
					return packets, err
				}
				packets = append(packets, bytes.Clone(p))
				if len(packets)%3 == 0 {
					r.Release()
				}
			}
		}
		want, end := readAll(bytes.NewReader(data))
		got, end2 := readAll(&shared{pieces{data, int(n) + 1}, make([]byte, 1<<9)})
		if !reflect.DeepEqual(got, want) || end.Error() != end2.Error() {
			t.Fatalf("got %q, %v, want %q, %v", got, end2, want, end)
		}
		var again []byte
		var seq byte
		for _, p := range want {
			again, seq = AppendPacket(again, seq, p)
		}
		if !bytes.HasPrefix(data, again) {
			t.Fatalf("written again: %q, want the start of %q", again, data)
		}
		if end == io.EOF && len(again) != len(data) {
			t.Fatalf("%d of %d bytes were read without an error", len(again), len(data))
		}
	})
}

// FuzzResponse: any packets are followed without panic, and every error is ErrMalformed.
func FuzzResponse(f *testing.F) {
	stream := func(packets ...string) (b []byte) {
		var seq byte
		for _, p := range packets {
			b, seq = AppendPacket(b, seq, []byte(p))
		}
		return b
	}
	f.Add(stream("\x02", "c", "c", "\xfe\x00\x00\x02\x00", "\x01a\x01b", "\xfe\x00\x00\x0a\x00", "\x00\x00\x00\x02\x00\x00\x00"), uint64(0))
	f.Add(stream("\x01\x00", "\x00\x00\x01", "\xfe\x00\x00\x02\x00\x00\x00"), uint64(MariaDBCacheMetadata|DeprecateEOF))
	f.Add(stream("\x00\x01", "\x01a", "\xff\x48\x04#HY000No"), uint64(OptionalResultsetMetadata|DeprecateEOF))
	f.Fuzz(func(t *testing.T, data []byte, caps uint64) {
		if len(data) > maxFuzzInput {
			return
		}
		r := NewReader(bytes.NewReader(data), 0)
		r.AnySeq = true
		var resp Response
		resp.Start(Capability(caps))
		var cells [][]byte
		for !resp.Done() {
			p, err := r.Next()
			if err != nil {
				return
			}
			event, err := resp.Next(p)
			if err != nil {
				if !errors.Is(err, ErrMalformed) {
					t.Fatalf("got %v", err)
				}
				return
			}
			switch event {
			case EventRow:
				if cells, err = DecodeTextRow(p, resp.Columns, cells); err != nil && !errors.Is(err, ErrMalformed) {
					t.Fatal(err)
				}
			case EventError:
				var e ERR
				if err := e.Decode(p); err != nil && !errors.Is(err, ErrMalformed) {
					t.Fatal(err)
				}
			}
		}
	})
}

// FuzzRows: rows of both protocols decode without panic, and to as many cells as there are columns.
func FuzzRows(f *testing.F) {
	f.Add([]byte("\x00\x00\x05\x00\x00\x00\x03abc"), []byte{byte(TypeLong), byte(TypeVarString)})
	f.Add([]byte("\x00\x00\x0b\xe8\x07\x02\x1d\x0c\x22\x38\x40\xe2\x01\x00"), []byte{byte(TypeDatetime)})
	f.Add([]byte("\x00\x04"), []byte{byte(TypeDouble)})
	f.Add([]byte("\x00\x00\x0c\x01\x01\x00\x00\x00\x02\x03\x04\x40\xe2\x01\x00"), []byte{byte(TypeTime)})
	f.Fuzz(func(t *testing.T, data, types []byte) {
		if len(data) > maxFuzzInput || len(types) > 64 {
			return
		}
		columns := make([]Column, len(types))
		for i, c := range types {
			columns[i] = Column{Type: Type(c), Decimals: c % 40, Length: uint32(c), Flags: ColumnFlag(uint16(c) << 4)}
		}
		cells, _, err := DecodeBinaryRow(data, columns, nil, nil)
		if err != nil && !errors.Is(err, ErrMalformed) || err == nil && len(cells) != len(types) {
			t.Fatalf("binary: got %q, %v", cells, err)
		}
		cells, err = DecodeTextRow(data, len(types), nil)
		if err != nil && !errors.Is(err, ErrMalformed) || err == nil && len(cells) != len(types) {
			t.Fatalf("text: got %q, %v", cells, err)
		}
		if err != nil {
			return
		}
		var again []byte
		for _, c := range cells {
			again = AppendText(again, c)
		}
		cells2, err := DecodeTextRow(again, len(types), nil)
		if err != nil || !reflect.DeepEqual(cells2, cells) {
			t.Fatalf("encoded and decoded: got %q, %v, want %q", cells2, err, cells)
		}
	})
}

// FuzzHandshake: a greeting that decodes is the same after encoding and decoding.
func FuzzHandshake(f *testing.F) {
	f.Add(unhex(f, greetingMariaDB))
	f.Add([]byte("\x0a5.5\x00\x01\x00\x00\x00saltsalt\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxFuzzInput {
			return
		}
		var h, again Handshake
		if err := h.Decode(data); err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatal(err)
			}
			return
		}
		if len(h.Salt) > 250 || h.Version != "" && bytes.HasPrefix([]byte(h.Version), []byte(mariaDBPrefix)) {
			return // decodes, but is not what Append is for
		}
		if err := again.Decode(h.Append(nil)); err != nil {
			t.Fatalf("%+v: %v", h, err)
		}
		// Salts shorter than 20 bytes are filled up with zero bytes.
		n := min(len(h.Salt), len(again.Salt))
		if !bytes.Equal(h.Salt[:n], again.Salt[:n]) {
			t.Fatalf("got salt %q, want %q", again.Salt, h.Salt)
		}
		h.Salt, again.Salt = nil, nil
		if !reflect.DeepEqual(h, again) {
			t.Fatalf("got %+v, want %+v", again, h)
		}
	})
}

// FuzzHandshakeResponse: a response that decodes is the same after encoding and decoding.
func FuzzHandshakeResponse(f *testing.F) {
	r := HandshakeResponse{
		Capabilities: baseForFuzz, MaxPacket: 1 << 24, Charset: CharsetUTF8MB4, User: "u", Auth: []byte("12345678901234567890"),
		DB: "db", AuthPlugin: "mysql_native_password", Attrs: AppendAttr(nil, "a", "b"),
	}
	f.Add(r.Append(nil))
	r.Capabilities |= SSL
	f.Add(r.AppendSSLRequest(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxFuzzInput {
			return
		}
		var a, b HandshakeResponse
		tls, err := a.Decode(data)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatal(err)
			}
			return
		}
		if tls {
			if again, err := b.Decode(a.AppendSSLRequest(nil)); err != nil || !again || !reflect.DeepEqual(a, b) {
				t.Fatalf("got %+v, %v, %v, want %+v", b, again, err, a)
			}
			return
		}
		if _, err := b.Decode(a.Append(nil)); err != nil {
			t.Fatalf("%+v: %v", a, err)
		}
		if a.Attrs == nil { // left out although announced
			b.Attrs = nil
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("got %+v, want %+v", b, a)
		}
	})
}

const baseForFuzz = Protocol41 | SecureConnection | PluginAuth | ConnectWithDB | ConnectAttrs | PluginAuthLenencClientData | MariaDBCacheMetadata

// FuzzCompressed: any frames are contents or an error without much memory, and what was read and compressed again reads
// the same.
func FuzzCompressed(f *testing.F) {
	for _, zstd := range []bool{false, true} {
		a := Zlib
		if zstd {
			a = Zstd
		}
		var out bytes.Buffer
		w := compressed(f, nil, &out, a)
		for _, p := range [][]byte{[]byte("short"), bytes.Repeat([]byte("long "), 50)} {
			if _, err := w.Write(p); err != nil {
				f.Fatal(err)
			}
		}
		f.Add(out.Bytes(), zstd)
	}
	f.Fuzz(func(t *testing.T, data []byte, zstd bool) {
		if len(data) > maxFuzzInput {
			return
		}
		a := Zlib
		if zstd {
			a = Zstd
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var got bytes.Buffer
		_, err := io.Copy(&got, io.LimitReader(compressed(t, bytes.NewReader(data), nil, a), 1<<20))
		runtime.ReadMemStats(&after)
		if err != nil && !errors.Is(err, ErrMalformed) && err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
		// One frame of 16 MiB while it grows, and the state of a codec.
		if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 {
			t.Fatalf("%d bytes of input took %d bytes of memory", len(data), used)
		}
		var packed bytes.Buffer
		if got.Len() > 0 {
			if _, err := compressed(t, nil, &packed, a).Write(got.Bytes()); err != nil {
				t.Fatal(err)
			}
		}
		again, err := io.ReadAll(compressed(t, &packed, nil, a))
		if err != nil || !bytes.Equal(again, got.Bytes()) {
			t.Fatalf("compressed again: got %d bytes, %v, want %d", len(again), err, got.Len())
		}
	})
}
