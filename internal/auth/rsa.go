package auth

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// maxRSABits bounds the work that a hostile server's key can cause; servers use 2048.
const maxRSABits = 16384

// sealPassword makes a password fit for an insecure transport: it is closed by a zero byte, XORed with
// the challenge repeated, and encrypted by RSA OAEP with SHA-1 for the key in pemKey.
func sealPassword(password string, challenge, pemKey []byte) ([]byte, error) {
	key, err := parsePublicKey(pemKey)
	if err != nil {
		return nil, err
	}
	text := clearText(password)
	mask(text, challenge)
	sealed, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, key, text, nil)
	if err != nil {
		return nil, fmt.Errorf("encrypt the password with the server's key of %d bits: %w", key.N.BitLen(), err)
	}
	return sealed, nil
}

// openPassword is the inverse of sealPassword. ok is false for anything that the key did not seal.
func openPassword(sealed, challenge []byte, key *rsa.PrivateKey) (text []byte, ok bool) {
	text, err := rsa.DecryptOAEP(sha1.New(), nil, key, sealed, nil)
	if err != nil {
		return nil, false
	}
	mask(text, challenge)
	return text, true
}

// mask XORs text with key, repeated, in place. An empty key changes nothing.
func mask(text, key []byte) {
	if len(key) == 0 {
		return
	}
	for i := range text {
		text[i] ^= key[i%len(key)]
	}
}

func parsePublicKey(pemKey []byte) (*rsa.PublicKey, error) {
	block, _ := pem.Decode(pemKey)
	if block == nil {
		return nil, errors.New("server's public key: no PEM block")
	}
	var parsed any
	var err error
	if block.Type == "RSA PUBLIC KEY" {
		parsed, err = x509.ParsePKCS1PublicKey(block.Bytes)
	} else {
		parsed, err = x509.ParsePKIXPublicKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("server's public key: %w", err)
	}
	key, ok := parsed.(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("server's public key: %T, want an RSA key", parsed)
	}
	if key.N.BitLen() > maxRSABits {
		return nil, fmt.Errorf("server's public key: %d bits, at most %d are accepted", key.N.BitLen(), maxRSABits)
	}
	return key, nil
}

// PublicKeyPEM returns the public half of key, as servers send it and as ClientOptions.ServerPublicKey
// takes it.
func PublicKeyPEM(key *rsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("encode the server's public key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}
