package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
)

func TestServerRepliesRoundTrip(t *testing.T) {
	t.Parallel()
	for _, caps := range []Capability{0, DeprecateEOF, SessionTrack, SessionTrack | DeprecateEOF} {
		for _, track := range [][]byte{nil, {1, 3, 2, 'd', 'b'}} {
			for _, info := range [][]byte{nil, []byte("Rows matched: 1")} {
				in := OK{Affected: 70000, InsertID: 1 << 40, Status: StatusAutocommit, Warnings: 3, Info: info}
				if track != nil {
					in.Status |= StatusSessionState
				}
				data := in.Append(nil, HeaderOK, caps, track)
				var out OK
				if err := out.Decode(data, caps); err != nil {
					t.Fatalf("caps %x, track %v: %v", uint64(caps), track, err)
				}
				want := in
				if !caps.Has(SessionTrack) {
					want.Status &^= StatusSessionState
				}
				if len(out.Info) == 0 {
					out.Info = nil
				}
				if !reflect.DeepEqual(out, want) {
					t.Errorf("caps %x, track %v: got %+v, want %+v", uint64(caps), track, out, want)
				}
			}
		}
	}
	e := ERR{Code: 1213, State: "40001", Message: "Deadlock found"}
	var gotERR ERR
	if err := gotERR.Decode(e.Append(nil)); err != nil || gotERR != e {
		t.Errorf("ERR: got %+v, %v, want %+v", gotERR, err, e)
	}
	early := ERR{Code: 1040, Message: "Too many connections"}
	if data := early.Append(nil); !bytes.Equal(data, append([]byte{0xff, 0x10, 0x04}, early.Message...)) {
		t.Errorf("ERR before login: % x", data)
	}
	f := EOF{Warnings: 2, Status: StatusMoreResults}
	var gotEOF EOF
	if err := gotEOF.Decode(f.Append(nil)); err != nil || gotEOF != f {
		t.Errorf("EOF: got %+v, %v, want %+v", gotEOF, err, f)
	}
	for _, n := range []int{20, 32} {
		a := AuthSwitch{Plugin: "some_plugin", Data: bytes.Repeat([]byte{7}, n)}
		var got AuthSwitch
		if err := got.Decode(a.Append(nil, n == 20)); err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("auth switch with %d bytes: got %+v, %v, want %+v", n, got, err, a)
		}
	}
}

// The client's decoder shows a binary row as the text that went in.
func TestBinaryRowRoundTrip(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		column Column
		texts  []string
	}{
		{Column{Type: TypeTiny}, []string{"0", "-128", "127"}},
		{Column{Type: TypeTiny, Flags: FlagUnsigned}, []string{"255"}},
		{Column{Type: TypeShort}, []string{"-32768", "32767"}},
		{Column{Type: TypeYear, Flags: FlagUnsigned}, []string{"2024"}},
		{Column{Type: TypeLong}, []string{"-2147483648", "2147483647"}},
		{Column{Type: TypeInt24}, []string{"-8388608"}},
		{Column{Type: TypeLongLong}, []string{"-9223372036854775808", "9223372036854775807"}},
		{Column{Type: TypeLongLong, Flags: FlagUnsigned}, []string{"18446744073709551615"}},
		{Column{Type: TypeFloat, Decimals: 31}, []string{"1.5", "-0.25"}},
		{Column{Type: TypeDouble, Decimals: 31}, []string{"1.5", "-1234.0625"}},
		{Column{Type: TypeNewDecimal, Decimals: 2}, []string{"12345678901234567890.12"}},
		{Column{Type: TypeString}, []string{"", "text", string(make([]byte, 300))}},
		{Column{Type: TypeBlob}, []string{"\x00\xff"}},
		{Column{Type: TypeDate}, []string{"2024-02-29", "0000-00-00"}},
		{Column{Type: TypeDatetime}, []string{"2024-02-29 00:00:00", "2024-02-29 23:59:58", "0000-00-00 00:00:00"}},
		{Column{Type: TypeTimestamp, Decimals: 6}, []string{"2024-02-29 23:59:58.000001"}},
		{Column{Type: TypeTime}, []string{"00:00:00", "-838:59:59", "12:00:00"}},
		{Column{Type: TypeTime, Decimals: 6}, []string{"23:59:58.500000"}},
	} {
		for _, text := range tt.texts {
			t.Run(fmt.Sprintf("%#x %.30q", tt.column.Type, text), func(t *testing.T) {
				t.Parallel()
				columns := []Column{{Type: TypeString}, tt.column, {Type: TypeLong}}
				row, err := AppendBinaryRow(nil, columns, [][]byte{nil, []byte(text), []byte("7")})
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := DecodeBinaryRow(row, columns, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got[0] != nil || string(got[1]) != text || string(got[2]) != "7" {
					t.Errorf("got %q, want NULL, %q, 7", got, text)
				}
			})
		}
	}
}

func TestBinaryValueErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		t    Type
		text string
	}{
		{TypeTiny, "128"},
		{TypeLong, "x"},
		{TypeLong, ""},
		{TypeDouble, "1,5"},
		{TypeFloat, "x"},
		{TypeDate, "2024-02-30"},
		{TypeDatetime, "2024-02-28 24:00:00"},
		{TypeTime, "12:60:00"},
		{TypeTime, "12:00"},
		{TypeTime, "1:2:3.1234567"},
	} {
		if b, err := AppendBinaryValue(nil, tt.t, false, tt.text); err == nil {
			t.Errorf("type %#x, %q: % x, want an error", tt.t, tt.text, b)
		}
	}
	if _, err := AppendBinaryRow(nil, []Column{{}}, nil); err == nil {
		t.Error("a row of the wrong width was taken")
	}
}

func TestExecuteDecode(t *testing.T) {
	t.Parallel()
	minus := int64(-7)
	params := []Param{
		IntParam(minus),
		{Type: TypeString, Bytes: []byte("text")},
		{Type: TypeLong, Null: true},
		DoubleParam(2.5),
		{Type: TypeDatetime, Bytes: []byte{7, 0xe8, 7, 2, 29, 23, 59, 58}[1:]},
		{Type: TypeTime, Bytes: []byte{1, 34, 0, 0, 0, 22, 59, 59}},
		{Type: TypeTiny, Unsigned: true, Bits: 255},
	}
	want := []Argument{int64(-7), []byte("text"), nil, 2.5, []byte("2024-02-29 23:59:58"), []byte("-838:59:59"), uint64(255)}
	var e Execute
	for _, withTypes := range []bool{true, false} { // the second one uses the types of the first
		packet := AppendExecute(nil, 9, params, withTypes)
		if err := e.Decode(packet[1:], len(params), 0, nil); err != nil {
			t.Fatal(err)
		}
		if e.ID != 9 || e.Iterations != 1 || !reflect.DeepEqual(e.Args, want) {
			t.Errorf("got %d, %q, want 9, %q", e.ID, e.Args, want)
		}
		for n := range len(packet) - 1 {
			cut := Execute{Defs: e.Defs}
			if err := cut.Decode(packet[1:1+n], len(params), 0, nil); err == nil {
				t.Errorf("packet cut at %d was taken", n)
			}
		}
	}
	var fresh Execute
	if err := fresh.Decode(AppendExecute(nil, 9, params, false)[1:], len(params), 0, nil); err == nil {
		t.Error("first execution without types was taken")
	}
	// Long data: no value in the packet for parameter 0.
	long := []byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, byte(TypeBlob), 0, byte(TypeTiny), 0, 5}
	if err := e.Decode(long, 2, 0, func(i int) bool { return i == 0 }); err != nil {
		t.Fatal(err)
	}
	if want := []Argument{nil, int64(5)}; !reflect.DeepEqual(e.Args, want) {
		t.Errorf("long data: got %v, want %v", e.Args, want)
	}
	// Query attributes: one more value, with a name, that is none of the statement's.
	attrs := []byte{1, 0, 0, 0, 8, 1, 0, 0, 0, 2, 0, 1, byte(TypeTiny), 0, 0, byte(TypeString), 0, 1, 'n', 5, 1, 'v'}
	if err := e.Decode(attrs, 1, QueryAttributes, nil); err != nil {
		t.Fatal(err)
	}
	if want := []Argument{int64(5)}; !reflect.DeepEqual(e.Args, want) {
		t.Errorf("attributes: got %v, want %v", e.Args, want)
	}
}

func TestQueryText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, data string
		caps       Capability
		want       string
		bad        bool
	}{
		{"plain", "SELECT 1", 0, "SELECT 1", false},
		{"no attributes", "\x00\x01SELECT 1", QueryAttributes, "SELECT 1", false},
		{"one", "\x01\x01\x00\x01\xfe\x00\x01n\x01vSELECT 1", QueryAttributes, "SELECT 1", false},
		{"one NULL", "\x01\x01\x01\x01\xfe\x00\x01nSELECT 1", QueryAttributes, "SELECT 1", false},
		{"empty", "", QueryAttributes, "", true},
		{"no sets", "\x00", QueryAttributes, "", true},
		{"no bitmap", "\x01\x01", QueryAttributes, "", true},
		{"no types", "\x01\x01\x00\x01", QueryAttributes, "", true},
		{"no value", "\x01\x01\x00\x01\x08\x00\x00\x01", QueryAttributes, "", true},
	} {
		got, err := QueryText([]byte(tt.data), tt.caps)
		if (err != nil) != tt.bad || string(got) != tt.want {
			t.Errorf("%s: got %q, %v, want %q, error %v", tt.name, got, err, tt.want, tt.bad)
		}
	}
}

// FuzzServerDecode feeds what a hostile client sends: no panic, and no more arguments than the statement has.
func FuzzServerDecode(f *testing.F) {
	f.Add(AppendExecute(nil, 1, []Param{IntParam(5), {Type: TypeString, Bytes: []byte("x")}}, true)[1:], byte(2), false)
	f.Add([]byte("\x01\x01\x00\x01\xfe\x00\x01n\x01vSELECT 1"), byte(0), true)
	f.Add([]byte{1, 0, 0, 0, 8, 1, 0, 0, 0, 2, 0, 1, 1, 0, 0, 254, 0, 1, 'n', 5, 1, 'v'}, byte(1), true)
	f.Add([]byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 12, 0, 11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, byte(1), false)
	f.Fuzz(func(t *testing.T, data []byte, params byte, attrs bool) {
		var caps Capability
		if attrs {
			caps = QueryAttributes
		}
		var e Execute
		if err := e.Decode(data, int(params), caps, nil); err == nil && len(e.Args) != int(params) {
			t.Fatalf("%d arguments for %d parameters", len(e.Args), params)
		}
		if text, err := QueryText(data, caps); err == nil && len(text) > len(data) {
			t.Fatal("text is longer than its packet")
		}
	})
}
