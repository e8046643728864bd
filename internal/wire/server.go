package wire

import "encoding/binary"

// This file and its neighbours server_*.go hold what only servers send or read.

// Append appends an OK packet with the given header: HeaderOK, or HeaderEOF at the end of rows under DeprecateEOF.
// caps are the connection's capabilities. track are changes of session state (as SESSION_TRACK encodes them, without
// the length of the whole); they are sent when the status has StatusSessionState and caps has SessionTrack.
func (o *OK) Append(dst []byte, header byte, caps Capability, track []byte) []byte {
	dst = append(dst, header)
	dst = AppendInt(dst, o.Affected)
	dst = AppendInt(dst, o.InsertID)
	status := o.Status
	if !caps.Has(SessionTrack) || len(track) == 0 {
		status &^= StatusSessionState
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(status))
	dst = binary.LittleEndian.AppendUint16(dst, o.Warnings)
	if !caps.Has(SessionTrack) {
		return append(dst, o.Info...)
	}
	if len(o.Info) > 0 || status&StatusSessionState != 0 {
		dst = AppendBytes(dst, o.Info)
	}
	if status&StatusSessionState != 0 {
		dst = AppendBytes(dst, track)
	}
	return dst
}

// Append appends an ERR packet. A State that is not five characters long is left out, as before login.
func (e *ERR) Append(dst []byte) []byte {
	dst = append(dst, HeaderERR)
	dst = binary.LittleEndian.AppendUint16(dst, e.Code)
	if len(e.State) == 5 {
		dst = append(dst, '#')
		dst = append(dst, e.State...)
	}
	return append(dst, e.Message...)
}

// Append appends an EOF packet.
func (e *EOF) Append(dst []byte) []byte {
	dst = append(dst, HeaderEOF)
	dst = binary.LittleEndian.AppendUint16(dst, e.Warnings)
	return binary.LittleEndian.AppendUint16(dst, uint16(e.Status))
}

// Append appends a switch request. Servers send a zero byte after the challenges of some plugins: then zero is true.
func (a *AuthSwitch) Append(dst []byte, zero bool) []byte {
	dst = append(dst, HeaderEOF)
	dst = append(dst, a.Plugin...)
	dst = append(dst, 0)
	dst = append(dst, a.Data...)
	if zero {
		dst = append(dst, 0)
	}
	return dst
}

// AppendAuthMore appends an auth-more-data packet.
func AppendAuthMore(dst, data []byte) []byte {
	return append(append(dst, HeaderAuthMoreData), data...)
}

// AppendResultHeader appends the first packet of a result set. follows says that column definitions follow, which
// matters only under MariaDBCacheMetadata and OptionalResultsetMetadata.
func AppendResultHeader(dst []byte, columns int, caps Capability, follows bool) []byte {
	var f byte
	if follows {
		f = 1
	}
	if caps.Has(OptionalResultsetMetadata) {
		dst = append(dst, f)
	}
	dst = AppendInt(dst, uint64(columns))
	if caps.Has(MariaDBCacheMetadata) {
		dst = append(dst, f)
	}
	return dst
}

// AppendText appends one value of a text row; nil is NULL.
func AppendText(dst, value []byte) []byte {
	if value == nil {
		return append(dst, 0xfb)
	}
	return AppendBytes(dst, value)
}
