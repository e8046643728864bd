//go:build !linux

package nullserver

import (
	"errors"
	"net"
)

type fastEngine struct{}

func (fastEngine) start(net.Listener, Options) error {
	return errors.New("the fast null server needs Linux (epoll)")
}

func (fastEngine) stats() FastStats { return FastStats{} }

func (fastEngine) stop() {}
