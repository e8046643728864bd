//go:build soak

package conduct_test

// kills is how often a study is killed: `make soak`.
const kills = 20
