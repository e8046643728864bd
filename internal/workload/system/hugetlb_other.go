//go:build !linux

package system

import "errors"

func allocateHuge(int64) (block, error) {
	return block{}, errors.New("HugeTLB memory exists on Linux only")
}
