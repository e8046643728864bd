package option

import (
	"fmt"
	"io"
)

// Secret is a text that is not printed by accident: however it is formatted or encoded, stars come out. The
// empty one is shown as empty.
type Secret string

const stars = "***"

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// String returns stars.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return stars
}

// Format writes stars for every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText returns stars.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
