package wire

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Handshake is the server's first packet, protocol version 10.
type Handshake struct {
	Version      string // such as "10.11.14-MariaDB-0+deb12u2", without MariaDB's prefix "5.5.5-"
	ThreadID     uint32
	Salt         []byte // challenge of AuthPlugin, normally 20 bytes; the zero byte after it is left out
	Capabilities Capability
	Charset      byte
	Status       Status
	AuthPlugin   string // empty without PluginAuth
}

// mariaDBPrefix is put before the version by MariaDB up to 10, since old replicas took 10 for 1.
const mariaDBPrefix = "5.5.5-"

// Decode reads a handshake. All fields are copied.
func (h *Handshake) Decode(data []byte) error {
	const packet = "handshake"
	*h = Handshake{}
	if len(data) == 0 || data[0] != protocolVersion10 {
		return malformed(packet, "protocol version is not 10")
	}
	version, rest, ok := NulString(data[1:])
	if !ok {
		return malformed(packet, "server version")
	}
	h.Version = strings.TrimPrefix(string(version), mariaDBPrefix)
	if len(rest) < 4+authPluginDataPart1+1+2 {
		return malformed(packet, "shorter than its fixed fields")
	}
	h.ThreadID = binary.LittleEndian.Uint32(rest)
	h.Salt = append([]byte(nil), rest[4:12]...)
	h.Capabilities = Capability(binary.LittleEndian.Uint16(rest[13:]))
	rest = rest[15:]
	if len(rest) == 0 {
		return nil // servers before 4.1, which this module does not talk to
	}
	if len(rest) < 16 {
		return malformed(packet, "shorter than its fixed fields")
	}
	h.Charset = rest[0]
	h.Status = Status(binary.LittleEndian.Uint16(rest[1:]))
	h.Capabilities |= Capability(binary.LittleEndian.Uint16(rest[3:])) << 16
	dataLength := int(rest[5])
	if !h.Capabilities.Has(LongPassword) {
		h.Capabilities |= Capability(binary.LittleEndian.Uint32(rest[12:])) << 32
	}
	rest = rest[16:]
	if h.Capabilities.Has(SecureConnection) || h.Capabilities.Has(PluginAuth) {
		n := max(13, dataLength-authPluginDataPart1)
		if n > len(rest) {
			return malformed(packet, "authentication data")
		}
		part := rest[:n]
		if part[n-1] == 0 {
			part = part[:n-1]
		}
		h.Salt = append(h.Salt, part...)
		rest = rest[n:]
	}
	if h.Capabilities.Has(PluginAuth) {
		// Some old servers leave the final zero byte out.
		name, _, ok := NulString(rest)
		if !ok {
			name = rest
		}
		h.AuthPlugin = string(name)
	}
	return nil
}

// Append appends the handshake. With extended capabilities LongPassword must not be set. Salt must be at least 8
// bytes long and at most 254.
func (h *Handshake) Append(dst []byte) []byte {
	c := h.Capabilities
	dst = append(dst, protocolVersion10)
	dst = append(dst, h.Version...)
	dst = append(dst, 0)
	dst = binary.LittleEndian.AppendUint32(dst, h.ThreadID)
	dst = append(dst, h.Salt[:authPluginDataPart1]...)
	dst = append(dst, 0, byte(c), byte(c>>8), h.Charset, byte(h.Status), byte(h.Status>>8), byte(c>>16), byte(c>>24))
	part2 := h.Salt[authPluginDataPart1:]
	switch {
	case c.Has(PluginAuth):
		dst = append(dst, byte(max(len(h.Salt)+1, defaultAuthPluginDataLength)))
	default:
		dst = append(dst, 0)
	}
	dst = append(dst, 0, 0, 0, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(c>>32))
	if c.Has(SecureConnection) || c.Has(PluginAuth) {
		dst = append(dst, part2...)
		for n := len(part2); n < 12; n++ {
			dst = append(dst, 0)
		}
		dst = append(dst, 0)
	}
	if c.Has(PluginAuth) {
		dst = append(dst, h.AuthPlugin...)
		dst = append(dst, 0)
	}
	return dst
}

// HandshakeResponse is the client's answer to the handshake (Protocol::HandshakeResponse41), and without the fields
// after Charset the request for TLS that comes before it.
type HandshakeResponse struct {
	Capabilities Capability // what both sides will use
	MaxPacket    uint32
	Charset      byte
	User         string
	Auth         []byte // reply to the challenge
	DB           string // sent with ConnectWithDB
	AuthPlugin   string // sent with PluginAuth
	// Attrs are the connection attributes as they travel: length-encoded names and values in turn.
	Attrs     []byte // sent with ConnectAttrs; see AppendAttr
	ZstdLevel byte   // sent with ZstdCompression
}

// AppendAttr appends a connection attribute for HandshakeResponse.Attrs.
func AppendAttr(dst []byte, name, value string) []byte {
	return AppendString(AppendString(dst, name), value)
}

// appendFixed appends the part that the TLS request has too.
func (h *HandshakeResponse) appendFixed(dst []byte) []byte {
	c := h.Capabilities
	dst = binary.LittleEndian.AppendUint32(dst, uint32(c))
	dst = binary.LittleEndian.AppendUint32(dst, h.MaxPacket)
	dst = append(dst, h.Charset)
	dst = append(dst, make([]byte, 19)...)
	var extended uint32
	if !c.Has(LongPassword) {
		extended = uint32(c >> 32)
	}
	return binary.LittleEndian.AppendUint32(dst, extended)
}

// AppendSSLRequest appends the request for TLS. Capabilities must have SSL.
func (h *HandshakeResponse) AppendSSLRequest(dst []byte) []byte { return h.appendFixed(dst) }

// Append appends the response. Without PluginAuthLenencClientData Auth must be at most 255 bytes long. User and DB
// cannot contain zero bytes.
func (h *HandshakeResponse) Append(dst []byte) []byte {
	c := h.Capabilities
	dst = h.appendFixed(dst)
	dst = append(dst, h.User...)
	dst = append(dst, 0)
	switch {
	case c.Has(PluginAuthLenencClientData):
		dst = AppendBytes(dst, h.Auth)
	case c.Has(SecureConnection):
		dst = append(dst, byte(len(h.Auth)))
		dst = append(dst, h.Auth...)
	default:
		dst = append(dst, h.Auth...)
		dst = append(dst, 0)
	}
	if c.Has(ConnectWithDB) {
		dst = append(dst, h.DB...)
		dst = append(dst, 0)
	}
	if c.Has(PluginAuth) {
		dst = append(dst, h.AuthPlugin...)
		dst = append(dst, 0)
	}
	if c.Has(ConnectAttrs) {
		dst = AppendBytes(dst, h.Attrs)
	}
	if c.Has(ZstdCompression) {
		dst = append(dst, h.ZstdLevel)
	}
	return dst
}

// Decode reads a response, or a TLS request: then tls is true and only the fields up to Charset are set. Byte slices
// are parts of data. Extended flags are kept only from clients that announce them by leaving LongPassword out.
func (h *HandshakeResponse) Decode(data []byte) (tls bool, err error) {
	const packet = "handshake response"
	*h = HandshakeResponse{}
	if len(data) < responseFixed {
		return false, malformed(packet, "shorter than its fixed fields")
	}
	c := Capability(binary.LittleEndian.Uint32(data))
	if !c.Has(Protocol41) {
		return false, malformed(packet, "not protocol 4.1")
	}
	if !c.Has(LongPassword) {
		c |= Capability(binary.LittleEndian.Uint32(data[28:])) << 32
	}
	h.Capabilities = c
	h.MaxPacket = binary.LittleEndian.Uint32(data[4:])
	h.Charset = data[8]
	rest := data[responseFixed:]
	if len(rest) == 0 && c.Has(SSL) {
		return true, nil
	}
	user, rest, ok := NulString(rest)
	if !ok {
		return false, malformed(packet, "user name")
	}
	h.User = string(user)
	switch {
	case c.Has(PluginAuthLenencClientData):
		h.Auth, rest, ok = String(rest)
	case c.Has(SecureConnection):
		ok = len(rest) > 0 && int(rest[0]) < len(rest)
		if ok {
			n := 1 + int(rest[0])
			h.Auth, rest = rest[1:n:n], rest[n:]
		}
	default:
		h.Auth, rest, ok = NulString(rest)
	}
	if !ok {
		return false, malformed(packet, "authentication data")
	}
	// Clients differ in whether they end the last fields with a zero byte, or send them at all.
	tail := func() string {
		s, r, ok := NulString(rest)
		if !ok {
			s, r = rest, nil
		}
		rest = r
		return string(s)
	}
	if c.Has(ConnectWithDB) {
		h.DB = tail()
	}
	if c.Has(PluginAuth) {
		h.AuthPlugin = tail()
	}
	if c.Has(ConnectAttrs) && len(rest) > 0 {
		if h.Attrs, rest, ok = String(rest); !ok {
			return false, malformed(packet, "connection attributes")
		}
	}
	if c.Has(ZstdCompression) && len(rest) > 0 {
		h.ZstdLevel = rest[0]
	}
	return false, nil
}

// AuthSwitch is the server's request to log in by another plugin.
type AuthSwitch struct {
	Plugin string
	Data   []byte // challenge; a zero byte after 20 bytes is left out
}

// Decode reads a switch request. All fields are copied.
func (a *AuthSwitch) Decode(data []byte) error {
	*a = AuthSwitch{}
	if len(data) == 0 || data[0] != HeaderEOF {
		return malformed("auth switch request", "header")
	}
	if len(data) == 1 {
		a.Plugin = "mysql_old_password" // the form of servers before 5.5
		return nil
	}
	name, rest, ok := NulString(data[1:])
	if !ok {
		return malformed("auth switch request", "plugin name")
	}
	a.Plugin = string(name)
	if len(rest) == defaultAuthPluginDataLength && rest[len(rest)-1] == 0 {
		rest = rest[:len(rest)-1]
	}
	a.Data = bytes.Clone(rest)
	return nil
}
