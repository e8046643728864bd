package auth

import (
	"crypto/sha1"
	"crypto/subtle"
)

// mysql_native_password: the server keeps SHA1(SHA1(password)); the reply is
//
//	SHA1(password) XOR SHA1(challenge + SHA1(SHA1(password)))
//
// and empty for an empty password.
// https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_authentication_methods_native_password_authentication.html

type nativeClient struct{ password string }

func newNativeClient(o ClientOptions) Client { return &nativeClient{o.Password} }

func (c *nativeClient) Start(challenge []byte) ([]byte, error) {
	if c.password == "" {
		return nil, nil
	}
	challenge, err := takeChallenge(NativePassword, challenge, 20)
	if err != nil {
		return nil, err
	}
	return nativeReply(c.password, challenge), nil
}

func (c *nativeClient) Next(data []byte) ([]byte, bool, error) {
	return nil, true, unexpected(NativePassword, data)
}

func nativeReply(password string, challenge []byte) []byte {
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	h := sha1.New()
	h.Write(challenge)
	h.Write(twice[:])
	reply := h.Sum(nil)
	subtle.XORBytes(reply, reply, once[:])
	return reply
}

// oneReply is the server's side of the methods that have a single reply.
type oneReply struct {
	challenge []byte
	check     func(reply []byte) bool
	ended     bool
}

func (s *oneReply) Challenge() []byte { return s.challenge }

func (s *oneReply) Next(reply []byte) ([]byte, State, error) {
	if s.ended {
		return nil, Denied, errEnded
	}
	s.ended = true
	if s.check(reply) {
		return nil, OK, nil
	}
	return nil, Denied, nil
}

func newNativeServer(o ServerOptions) Server {
	return &oneReply{challenge: o.Challenge, check: func(reply []byte) bool {
		if o.Password == "" {
			return len(reply) == 0
		}
		return subtle.ConstantTimeCompare(reply, nativeReply(o.Password, o.Challenge)) == 1
	}}
}
