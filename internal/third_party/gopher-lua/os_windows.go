package lua

import (
	"os/exec"
	"time"
)

func exitSignal(*exec.ExitError) int { return -1 }

// processTime is C's clock() in seconds, which counts from the start on this system.
func processTime() float64 { return time.Since(startedAt).Seconds() }
