package wire

import (
	"errors"
	"fmt"
)

// ErrMalformed is in the chain of every error about a packet whose contents make no sense.
var ErrMalformed = errors.New("malformed packet")

// malformed returns an error that names the packet and the part of it that is wrong.
func malformed(packet, part string) error {
	return fmt.Errorf("%w: %s: %s", ErrMalformed, packet, part)
}

// SequenceError is a packet whose sequence number is not the expected one.
type SequenceError struct{ Got, Want byte }

func (e *SequenceError) Error() string {
	return fmt.Sprintf("packets out of order: got sequence number %d, want %d", e.Got, e.Want)
}

// TooLargeError is a packet longer than the reader's limit.
type TooLargeError struct{ Limit int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("packet is larger than the limit of %d bytes", e.Limit)
}
