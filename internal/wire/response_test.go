package wire

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

var eventNames = []string{"ok", "error", "columns", "column", "eof", "row", "end", "infile"}

// events feeds packets to a response and returns what they were, with "!" for an error.
func events(caps Capability, packets ...string) (string, *Response) {
	var r Response
	r.Start(caps)
	var got []string
	for _, p := range packets {
		e, err := r.Next([]byte(p))
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				return fmt.Sprint("not ErrMalformed: ", err), &r
			}
			got = append(got, "!")
			break
		}
		got = append(got, eventNames[e])
	}
	if r.Done() {
		got = append(got, "done")
	}
	return strings.Join(got, " "), &r
}

func TestResponse(t *testing.T) {
	const (
		ok      = "\x00\x05\x07\x02\x00\x00\x00"
		okMore  = "\x00\x05\x07\x0a\x00\x00\x00"
		eof     = "\xfe\x00\x00\x02\x00"
		eofMore = "\xfe\x00\x00\x0a\x00"
		end     = "\xfe\x00\x00\x02\x00\x00\x00"
		endMore = "\xfe\x00\x00\x0a\x00\x00\x00"
		failed  = "\xff\x48\x04#HY000No"
		col     = "\x03defwhatever"
		row     = "\x01x"
	)
	huge := "\xfe" + strings.Repeat("x", MaxFragment) // a row whose first value is longer than 16 MiB
	long := "\xfe\x00\x00\x00\x00\x01\x00\x00\x00x"   // one that claims to
	tests := []struct {
		name    string
		caps    Capability
		packets []string
		want    string
	}{
		{"OK", 0, []string{ok}, "ok done"},
		{"ERR", 0, []string{failed}, "error done"},
		{"several", 0, []string{okMore, okMore, ok}, "ok ok ok done"},
		{"ERR after OK", 0, []string{okMore, failed}, "ok error done"},
		{"rows", 0, []string{"\x02", col, col, eof, row, row, eof}, "columns column column eof row row end done"},
		{"no rows", 0, []string{"\x01", col, eof, eof}, "columns column eof end done"},
		{"rows without EOF", DeprecateEOF, []string{"\x02", col, col, row, end}, "columns column column row end done"},
		{"two result sets", DeprecateEOF, []string{"\x01", col, row, endMore, "\x01", col, end}, "columns column row end columns column end done"},
		{"result set, then OK", 0, []string{"\x01", col, eof, eofMore, ok}, "columns column eof end ok done"},
		{"ERR within rows", 0, []string{"\x01", col, eof, row, failed}, "columns column eof row error done"},
		{"ERR within columns", 0, []string{"\x02", col, failed}, "columns column error done"},
		{"cached columns", MariaDBCacheMetadata, []string{"\x02\x00", eof, row, eof}, "columns eof row end done"},
		{"cached columns without EOF", MariaDBCacheMetadata | DeprecateEOF, []string{"\x02\x00", row, end}, "columns row end done"},
		{"columns that could be cached", MariaDBCacheMetadata | DeprecateEOF, []string{"\x01\x01", col, row, end}, "columns column row end done"},
		{"optional columns", OptionalResultsetMetadata | DeprecateEOF, []string{"\x00\x02", row, end}, "columns row end done"},
		{"optional columns that come", OptionalResultsetMetadata | DeprecateEOF, []string{"\x01\x01", col, row, end}, "columns column row end done"},
		{"OK with optional columns", OptionalResultsetMetadata, []string{ok}, "ok done"},
		{"huge row", DeprecateEOF, []string{"\x01", col, huge, end}, "columns column row end done"},
		{"huge row with EOF", 0, []string{"\x01", col, eof, huge, long, eof}, "columns column eof row row end done"},
		{"local file", 0, []string{"\xfbname", ok}, "infile ok done"},
		{"after the end", 0, []string{ok, ok}, "ok ! done"},
		{"empty packet", 0, []string{""}, "!"},
		{"no EOF", 0, []string{"\x01", col, row}, "columns column !"},
		{"short OK", 0, []string{"\x00\x00\x00"}, "!"},
		{"short EOF", 0, []string{"\x01", col, eof, "\xfe\x00"}, "columns column eof !"},
		{"no metadata flag", MariaDBCacheMetadata, []string{"\x02"}, "!"},
		{"surplus bytes", 0, []string{"\x02\x01"}, "!"},
		{"column count", 0, []string{"\xfe\xff\xff\xff\xff\xff\xff\xff\xff"}, "!"},
	}
	for _, test := range tests {
		if got, _ := events(test.caps, test.packets...); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
	_, r := events(0, "\x03", col, col, col, eof, row, row, row, row, "\xfe\x00\x00\x22\x00")
	if r.Columns != 3 || r.Rows != 4 || r.Status != StatusAutocommit|StatusNoIndex || !r.MetadataFollows {
		t.Errorf("got %+v", r)
	}
}

func TestReplies(t *testing.T) {
	var ok OK
	if err := ok.Decode([]byte("\x00\xfc\xe8\x03\x05\x02\x00\x01\x00Rows matched"), 0); err != nil ||
		!reflect.DeepEqual(ok, OK{Affected: 1000, InsertID: 5, Status: StatusAutocommit, Warnings: 1, Info: []byte("Rows matched")}) {
		t.Errorf("OK: got %+v, %v", ok, err)
	}
	if err := ok.Decode([]byte("\x00\x01\x00\x00\x40\x00\x00\x03abc\x05state"), SessionTrack); err != nil || string(ok.Info) != "abc" {
		t.Errorf("OK with session state: got %+v, %v", ok, err)
	}
	var e ERR
	if err := e.Decode([]byte("\xff\x7a\x04#42S02Table")); err != nil || e != (ERR{1146, "42S02", "Table"}) {
		t.Errorf("ERR: got %+v, %v", e, err)
	}
	if err := e.Decode([]byte("\xff\x10\x04Too many connections")); err != nil || e != (ERR{1040, "HY000", "Too many connections"}) {
		t.Errorf("ERR without state: got %+v, %v", e, err)
	}
	var eof EOF
	if err := eof.Decode([]byte("\xfe\x01\x00\x08\x00")); err != nil || eof != (EOF{1, StatusMoreResults}) {
		t.Errorf("EOF: got %+v, %v", eof, err)
	}
	for _, data := range []string{"", "\x00", "\xff", "\xff\x01", "\xfe\x00", "\x00\x01\x02\x03", "x"} {
		if err := ok.Decode([]byte(data), 0); !errors.Is(err, ErrMalformed) {
			t.Errorf("OK %q: got %v", data, err)
		}
		if err := e.Decode([]byte(data)); !errors.Is(err, ErrMalformed) {
			t.Errorf("ERR %q: got %v", data, err)
		}
		if err := eof.Decode([]byte(data)); !errors.Is(err, ErrMalformed) {
			t.Errorf("EOF %q: got %v", data, err)
		}
	}
}

func TestColumnRoundTrip(t *testing.T) {
	want := Column{
		Schema: []byte("shop"), Table: []byte("a"), OrgTable: []byte("orders"), Name: []byte("n"), OrgName: []byte("number"),
		Charset: CharsetBinary, Length: 20, Type: TypeLongLong, Flags: FlagUnsigned | FlagNotNull, Decimals: 3,
	}
	data := want.Append(nil)
	var got Column
	if err := got.Decode(data, 0); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	clone := got.Clone()
	for n := range data {
		if err := got.Decode(data[:n], 0); !errors.Is(err, ErrMalformed) && n != len(data)-1 && n != len(data)-2 {
			t.Errorf("cut after %d bytes: got %v", n, err)
		}
	}
	clear(data)
	if !reflect.DeepEqual(clone, want) {
		t.Errorf("clone: got %+v, want %+v", clone, want)
	}
	// MariaDB's extended type information is skipped.
	extended := AppendString(nil, "def")
	for _, s := range []string{"", "", "", "n", "", "\x00\x04json"} {
		extended = AppendString(extended, s)
	}
	extended = append(extended, 12, 63, 0, 1, 0, 0, 0, byte(TypeBlob), 0, 0, 0, 0, 0)
	if err := got.Decode(extended, MariaDBExtendedTypeInfo); err != nil || got.Type != TypeBlob || string(got.Name) != "n" {
		t.Errorf("extended: got %+v, %v", got, err)
	}
}

func TestPrepareOK(t *testing.T) {
	want := PrepareOK{ID: 7, Columns: 2, Params: 3, Warnings: 1}
	var got PrepareOK
	if err := got.Decode(want.Append(nil)); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if got := want.Following(0); got != 7 {
		t.Errorf("packets with EOF: got %d, want 7", got)
	}
	if got := want.Following(DeprecateEOF); got != 5 {
		t.Errorf("packets without EOF: got %d, want 5", got)
	}
	for flag, packets := range []int{0, 5} {
		if err := got.Decode(append(want.Append(nil), byte(flag))); err != nil || got.Following(DeprecateEOF) != packets {
			t.Errorf("metadata flag %d: got %d packets, %v, want %d", flag, got.Following(DeprecateEOF), err, packets)
		}
	}
	if err := got.Decode(nil); !errors.Is(err, ErrMalformed) {
		t.Errorf("empty: got %v", err)
	}
}

func TestExecuteRoundTrip(t *testing.T) {
	params := []Param{
		{Type: TypeLongLong, Bits: 1<<64 - 5},
		{Type: TypeDouble, Bits: 0x4004000000000000},
		{Type: TypeVarString, Bytes: []byte("abc")},
		{Type: TypeLongLong, Null: true},
		{Type: TypeTiny, Bits: 0xff},
		{Type: TypeShort, Bits: 0x8000},
		{Type: TypeLong, Bits: 7},
		{Type: TypeLongLong, Unsigned: true, Bits: 1<<64 - 5},
		{Type: TypeVarString, Null: true},
	}
	want := []Argument{int64(-5), 2.5, []byte("abc"), nil, int64(-1), int64(-32768), int64(7), uint64(1<<64 - 5), nil}
	var e Execute
	for _, withTypes := range []bool{true, false} {
		data := AppendExecute(nil, 77, params, withTypes)
		if err := e.Decode(data[1:], len(params), 0, nil); err != nil || e.ID != 77 || e.Iterations != 1 {
			t.Fatalf("types %v: got %+v, %v", withTypes, e, err)
		}
		if !reflect.DeepEqual(e.Args, want) {
			t.Errorf("types %v: got %v, want %v", withTypes, e.Args, want)
		}
	}
	if got := AppendExecute(nil, 1, nil, true); len(got) != 10 {
		t.Errorf("without parameters: got %d bytes, want 10", len(got))
	}
}

func TestTextRow(t *testing.T) {
	row, err := DecodeTextRow([]byte("\x01a\xfb\x00\xfc\x03\x00xyz"), 4, nil)
	if want := [][]byte{[]byte("a"), nil, {}, []byte("xyz")}; err != nil || !reflect.DeepEqual(row, want) {
		t.Errorf("got %q, %v", row, err)
	}
	for _, bad := range []string{"", "\x01", "\x05ab", "\x01a\x01b", "\xff"} {
		if _, err := DecodeTextRow([]byte(bad), 1, nil); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
