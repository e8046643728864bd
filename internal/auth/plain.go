package auth

import (
	"crypto/subtle"
	"errors"
)

// mysql_clear_password: the reply is the password and a zero byte. It is refused on transports where
// others could read it.

var errClearInsecure = errors.New("mysql_clear_password: the password would travel readable; use TLS or a unix socket")

type clearClient struct {
	password string
	secure   bool
}

func newClearClient(o ClientOptions) Client { return &clearClient{o.Password, o.Secure} }

func (c *clearClient) Start([]byte) ([]byte, error) {
	if !c.secure {
		return nil, errClearInsecure
	}
	return clearText(c.password), nil
}

func (c *clearClient) Next(data []byte) ([]byte, bool, error) {
	return nil, true, unexpected(ClearPassword, data)
}

type clearServer struct {
	oneReply
	secure bool
}

func newClearServer(o ServerOptions) Server {
	s := &clearServer{secure: o.Secure}
	s.challenge = o.Challenge
	s.check = func(reply []byte) bool {
		if len(reply) == 0 && o.Password == "" {
			return true // some clients leave the zero byte out
		}
		return subtle.ConstantTimeCompare(reply, clearText(o.Password)) == 1
	}
	return s
}

func (s *clearServer) Next(reply []byte) ([]byte, State, error) {
	if !s.secure {
		return nil, Denied, errClearInsecure
	}
	return s.oneReply.Next(reply)
}

// unix_socket and auth_socket: the kernel tells the server who is at the other end. The client has
// nothing to add, and the server ignores what it sends.

type socketClient struct{}

func newSocketClient(ClientOptions) Client { return socketClient{} }

func (socketClient) Start([]byte) ([]byte, error) { return nil, nil }

func (socketClient) Next(data []byte) ([]byte, bool, error) {
	return nil, true, unexpected(UnixSocket, data)
}

func newSocketServer(o ServerOptions) Server {
	return &oneReply{challenge: o.Challenge, check: func([]byte) bool {
		return o.UnixSocket && o.PeerUser != "" && o.PeerUser == o.User
	}}
}
