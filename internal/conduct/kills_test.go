//go:build !soak

package conduct_test

// kills is how often a study is killed.
const kills = 3
