//go:build race

package store

// slowness is by how much limits of time and memory are raised: under the race detector SQLite, which is Go here, takes ten
// times as long, more on a busy machine, and memory has shadows.
const slowness = 60
