//go:build !unix

package cli

import "os"

// closedAtStart is known on Unix only.
func closedAtStart(*os.File) bool { return false }
