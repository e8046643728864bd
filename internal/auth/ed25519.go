package auth

import (
	"crypto/ed25519"
	"crypto/sha512"

	"filippo.io/edwards25519"
)

// client_ed25519 (MariaDB): the reply is the Ed25519 signature (RFC 8032) of the challenge. The
// private key is the password itself, of any length, where RFC 8032 has a seed of 32 bytes; that is why
// crypto/ed25519 cannot make it. The server keeps the public key.
// https://mariadb.com/docs/server/reference/clientserver-protocol/1-connecting/connection

type ed25519Client struct{ password string }

func newEd25519Client(o ClientOptions) Client { return &ed25519Client{o.Password} }

func (c *ed25519Client) Start(challenge []byte) ([]byte, error) {
	challenge, err := takeChallenge(Ed25519, challenge, 32)
	if err != nil {
		return nil, err
	}
	return edSign(c.password, challenge), nil
}

func (c *ed25519Client) Next(data []byte) ([]byte, bool, error) {
	return nil, true, unexpected(Ed25519, data)
}

// edKey returns the secret scalar, the prefix that makes nonces, and the public key of a password.
func edKey(password string) (s *edwards25519.Scalar, prefix, public []byte) {
	h := sha512.Sum512([]byte(password))
	s, err := edwards25519.NewScalar().SetBytesWithClamping(h[:32])
	if err != nil {
		panic("auth: 32 bytes refused as a scalar: " + err.Error())
	}
	return s, h[32:], new(edwards25519.Point).ScalarBaseMult(s).Bytes()
}

// edHash is SHA-512 of the parts as a scalar.
func edHash(parts ...[]byte) *edwards25519.Scalar {
	h := sha512.New()
	for _, p := range parts {
		h.Write(p)
	}
	s, err := edwards25519.NewScalar().SetUniformBytes(h.Sum(nil))
	if err != nil {
		panic("auth: 64 bytes refused as a scalar: " + err.Error())
	}
	return s
}

// edSign is RFC 8032, 5.1.6.
func edSign(password string, message []byte) []byte {
	s, prefix, public := edKey(password)
	r := edHash(prefix, message)
	R := new(edwards25519.Point).ScalarBaseMult(r).Bytes()
	k := edHash(R, public, message)
	S := edwards25519.NewScalar().MultiplyAdd(k, s, r)
	return append(R, S.Bytes()...)
}

func newEd25519Server(o ServerOptions) Server {
	_, _, public := edKey(o.Password)
	return &oneReply{challenge: o.Challenge, check: func(reply []byte) bool {
		return ed25519.Verify(public, o.Challenge, reply)
	}}
}
