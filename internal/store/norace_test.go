//go:build !race

package store

// slowness is by how much limits of time and memory are raised.
const slowness = 1
