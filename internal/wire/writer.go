package wire

import "io"

// AppendPacket appends payload as a packet whose first fragment has sequence number seq, and returns the
// sequence number after the packet. A payload that fills its last fragment exactly is followed by an empty one.
func AppendPacket(dst []byte, seq byte, payload []byte) ([]byte, byte) {
	for {
		n := min(len(payload), MaxFragment)
		dst = append(dst, byte(n), byte(n>>8), byte(n>>16), seq)
		dst = append(dst, payload[:n]...)
		payload = payload[n:]
		seq++
		if n < MaxFragment {
			return dst, seq
		}
	}
}

// BeginPacket appends room for a packet header. The payload is appended next, then FinishPacket is called with
// start, the length of dst before BeginPacket.
func BeginPacket(dst []byte) []byte { return append(dst, 0, 0, 0, 0) }

// FinishPacket writes the header of the packet that starts at dst[start] and ends with dst, and returns dst and
// the sequence number after the packet. Packets of more than one fragment are split, which moves data.
func FinishPacket(dst []byte, start int, seq byte) ([]byte, byte) {
	n := len(dst) - start - HeaderSize
	if n >= MaxFragment {
		payload := append([]byte(nil), dst[start+HeaderSize:]...)
		return AppendPacket(dst[:start], seq, payload)
	}
	h := dst[start : start+HeaderSize]
	h[0], h[1], h[2], h[3] = byte(n), byte(n>>8), byte(n>>16), seq
	return dst, seq + 1
}

// Writer writes packets, each with one Write, from a buffer that it reuses and of which it keeps at most 16 KiB.
// Not safe for concurrent use.
type Writer struct {
	// Seq is the sequence number of the next fragment; commands start with 0.
	Seq byte

	w   io.Writer
	buf []byte
}

// NewWriter returns a writer with sequence number 0.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Reset makes the writer write to w with sequence number 0; it keeps its buffer.
func (w *Writer) Reset(dst io.Writer) { w.w, w.Seq = dst, 0 }

// Begin returns the writer's buffer with room for a header. Append the payload and give the result to Send.
func (w *Writer) Begin() []byte { return BeginPacket(w.buf[:0]) }

// Send writes the packet that Begin started.
func (w *Writer) Send(packet []byte) error {
	packet, w.Seq = FinishPacket(packet, 0, w.Seq)
	if cap(packet) <= ownBuffer {
		w.buf = packet
	}
	_, err := w.w.Write(packet)
	return err
}

// Write writes payload as one packet.
func (w *Writer) Write(payload []byte) error {
	packet, seq := AppendPacket(w.buf[:0], w.Seq, payload)
	w.Seq = seq
	if cap(packet) <= ownBuffer {
		w.buf = packet
	}
	_, err := w.w.Write(packet)
	return err
}
