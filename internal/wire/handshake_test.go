package wire

import (
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// unhex decodes hexadecimal digits, ignoring blanks.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// greetingMariaDB was captured from MariaDB 10.11.
const greetingMariaDB = `0a352e352e352d31302e31312e31392d4d6172696144422d302b6465623132753100 40000000
	6b6d60785e4e4962 00 fef7 08 0200 ff81 15 000000000000 1d000000 337574682c42477c5f43702f 00
	6d7973716c5f6e61746976655f70617373776f726400`

func TestHandshakeDecode(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want Handshake
	}{
		{"MariaDB 10.11", unhex(t, greetingMariaDB), Handshake{
			Version: "10.11.19-MariaDB-0+deb12u1", ThreadID: 64, Salt: []byte("km`x^NIb3uth,BG|_Cp/"),
			Capabilities: 0x1d_81ff_f7fe, Charset: CharsetLatin1, Status: StatusAutocommit, AuthPlugin: "mysql_native_password",
		}},
		// The example of the MySQL protocol documentation, Protocol::HandshakeV10, server 5.5.2-m2.
		{"MySQL 5.5", unhex(t, `0a 35 2e 35 2e 32 2d 6d 32 00 0b 00 00 00 64 76 48 40 49 2d 43 4a 00 ff f7 08 02 00 00 00 00 00
			00 00 00 00 00 00 00 00 00 2a 34 64 7c 63 5a 77 6b 34 5e 5d 3a 00`), Handshake{
			Version: "5.5.2-m2", ThreadID: 11, Salt: []byte("dvH@I-CJ*4d|cZwk4^]:"),
			Capabilities: 0xf7ff, Charset: CharsetLatin1, Status: StatusAutocommit,
		}},
		// And server 5.6.4-m7, with plugin.
		{"MySQL 5.6", unhex(t, `0a 35 2e 36 2e 34 2d 6d 37 2d 6c 6f 67 00 56 0a 00 00 52 42 33 76 7a 26 47 72 00 ff ff 08 02 00
			0f c0 15 00 00 00 00 00 00 00 00 00 00 2b 79 44 26 2f 5a 5a 33 30 35 5a 47 00 6d 79 73 71 6c 5f
			6e 61 74 69 76 65 5f 70 61 73 73 77 6f 72 64 00`), Handshake{
			Version: "5.6.4-m7-log", ThreadID: 2646, Salt: []byte("RB3vz&Gr+yD&/ZZ305ZG"),
			Capabilities: 0xc00fffff, Charset: CharsetLatin1, Status: StatusAutocommit, AuthPlugin: "mysql_native_password",
		}},
	}
	for _, test := range tests {
		var got Handshake
		if err := got.Decode(test.data); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
		var again Handshake
		if err := again.Decode(got.Append(nil)); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: encoded and decoded: got %+v, %v", test.name, again, err)
		}
		for n := range test.data {
			err := got.Decode(test.data[:n])
			if err != nil && !errors.Is(err, ErrMalformed) {
				t.Errorf("%s: cut after %d bytes: got %v", test.name, n, err)
			}
		}
	}
}

func TestHandshakeResponseRoundTrip(t *testing.T) {
	full := HandshakeResponse{
		MaxPacket: 1 << 24, Charset: CharsetUTF8MB4, User: "someone", Auth: []byte("01234567890123456789"), DB: "shop",
		AuthPlugin: "mysql_native_password", Attrs: AppendAttr(nil, "program_name", "test"), ZstdLevel: 7,
	}
	for _, caps := range []Capability{
		Protocol41 | LongPassword,
		Protocol41 | LongPassword | SecureConnection,
		Protocol41 | LongPassword | SecureConnection | ConnectWithDB,
		Protocol41 | MariaDBCacheMetadata | SecureConnection | PluginAuth | ConnectWithDB | ConnectAttrs | PluginAuthLenencClientData,
		Protocol41 | LongPassword | PluginAuthLenencClientData | PluginAuth | ZstdCompression | ConnectAttrs,
	} {
		want := full
		want.Capabilities = caps
		if !caps.Has(ConnectWithDB) {
			want.DB = ""
		}
		if !caps.Has(PluginAuth) {
			want.AuthPlugin = ""
		}
		if !caps.Has(ConnectAttrs) {
			want.Attrs = nil
		}
		if !caps.Has(ZstdCompression) {
			want.ZstdLevel = 0
		}
		var got HandshakeResponse
		data := want.Append(nil)
		tls, err := got.Decode(data)
		if err != nil || tls || !reflect.DeepEqual(got, want) {
			t.Errorf("%#x: got %+v, %v, %v, want %+v", uint64(caps), got, tls, err, want)
		}
		for n := range data {
			if _, err := got.Decode(data[:n]); err != nil && !errors.Is(err, ErrMalformed) {
				t.Errorf("%#x: cut after %d bytes: got %v", uint64(caps), n, err)
			}
		}
	}
	full.Capabilities = Protocol41 | LongPassword | SSL
	var got HandshakeResponse
	if tls, err := got.Decode(full.AppendSSLRequest(nil)); err != nil || !tls || got.Capabilities != full.Capabilities || got.Charset != full.Charset {
		t.Errorf("TLS request: got %+v, %v, %v", got, tls, err)
	}
	if _, err := got.Decode(make([]byte, 40)); !errors.Is(err, ErrMalformed) {
		t.Errorf("old protocol: got %v", err)
	}
}

func TestAuthSwitchDecode(t *testing.T) {
	tests := []struct {
		name string
		data string
		want AuthSwitch
		ok   bool
	}{
		{"native", "\xfemysql_native_password\x0001234567890123456789\x00", AuthSwitch{"mysql_native_password", []byte("01234567890123456789")}, true},
		{"ed25519", "\xfeclient_ed25519\x00" + strings.Repeat("x", 31) + "\x00", AuthSwitch{"client_ed25519", []byte(strings.Repeat("x", 31) + "\x00")}, true},
		{"without data", "\xfeunix_socket\x00", AuthSwitch{"unix_socket", []byte{}}, true},
		{"old", "\xfe", AuthSwitch{"mysql_old_password", nil}, true},
		{"no end of the name", "\xfeabc", AuthSwitch{}, false},
		{"header", "\x00abc\x00", AuthSwitch{}, false},
		{"empty", "", AuthSwitch{}, false},
	}
	for _, test := range tests {
		var got AuthSwitch
		err := got.Decode([]byte(test.data))
		if (err == nil) != test.ok || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, %v, want %+v", test.name, got, err, test.want)
		}
	}
}
