package auth

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"testing"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The MySQL 5.7 reference manual, "Password Hashing in MySQL", prints what a server keeps for 'mypass':
// *6C8989366EAF75BB670AD8EA7A7FC1176A95CEF4. The protocol documentation defines the server's check:
// SHA1(reply XOR SHA1(challenge + kept)) equals kept.
func TestNativeReplyAgainstServersHash(t *testing.T) {
	t.Parallel()
	kept := unhex(t, "6C8989366EAF75BB670AD8EA7A7FC1176A95CEF4")
	challenge := []byte("dvH@I-CJ*4d|cZwk4^]:")
	c, err := NewClient(NativePassword, ClientOptions{Password: "mypass"})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := c.Start(append(bytes.Clone(challenge), 0))
	if err != nil {
		t.Fatal(err)
	}
	h := sha1.Sum(append(bytes.Clone(challenge), kept...))
	for i := range reply {
		reply[i] ^= h[i]
	}
	if got := sha1.Sum(reply); !bytes.Equal(got[:], kept) {
		t.Errorf("hash behind the reply = %x, want %x", got, kept)
	}
}

// Values that the tests of go-sql-driver/mysql (auth_test.go, v1.10.1) publish for this challenge.
func TestCachingReplyVectors(t *testing.T) {
	t.Parallel()
	challenge := []byte{10, 47, 74, 111, 75, 73, 34, 48, 88, 76, 114, 74, 37, 13, 3, 80, 82, 2, 23, 21}
	for _, tt := range []struct{ password, want string }{
		{"secret", "f490e76f66d9d86665ce54d98c78d0acfe2fb0b08b423da807144873d30b312c"},
		{"secret2", "abc3934a012cf342e876071c8ee202de51785b430258a7a0138bc79c4d800bc6"},
	} {
		c, err := NewClient(CachingSHA2Password, ClientOptions{Password: tt.password})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Start(challenge)
		if err != nil {
			t.Fatal(err)
		}
		if want := unhex(t, tt.want); !bytes.Equal(got, want) {
			t.Errorf("reply for %q = %x, want %x", tt.password, got, want)
		}
	}
}

// RFC 8032, 7.1: a seed of 32 bytes is a password of 32 bytes.
func TestEdSignRFC8032(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, seed, public, message, signature string }{
		{
			"TEST 1",
			"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
			"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
			"",
			"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
		},
		{
			"TEST 3",
			"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
			"fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
			"af82",
			"6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
		},
	} {
		seed := string(unhex(t, tt.seed))
		if _, _, public := edKey(seed); !bytes.Equal(public, unhex(t, tt.public)) {
			t.Errorf("%s: public key = %x, want %s", tt.name, public, tt.public)
		}
		if got := edSign(seed, unhex(t, tt.message)); !bytes.Equal(got, unhex(t, tt.signature)) {
			t.Errorf("%s: signature = %x, want %s", tt.name, got, tt.signature)
		}
	}
}

// The MariaDB documentation of the ed25519 plugin prints the public key that a server keeps for 'secret'.
func TestEdKeyMariaDB(t *testing.T) {
	t.Parallel()
	const want = "ZIgUREUg5PVgQ6LskhXmO+eZLS0nC8be6HPjYWR4YJY"
	_, _, public := edKey("secret")
	if got := base64.RawStdEncoding.EncodeToString(public); got != want {
		t.Errorf("public key of \"secret\" = %s, want %s", got, want)
	}
}

// crypto/ed25519 is a second implementation for passwords of 32 bytes.
func TestEdSignAgainstStandardLibrary(t *testing.T) {
	t.Parallel()
	password := "0123456789abcdefghijklmnopqrstuv"
	challenge := []byte("the challenge of thirty-two byte")
	key := ed25519.NewKeyFromSeed([]byte(password))
	c, err := NewClient(Ed25519, ClientOptions{Password: password})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Start(challenge)
	if err != nil {
		t.Fatal(err)
	}
	if want := ed25519.Sign(key, challenge); !bytes.Equal(got, want) {
		t.Errorf("signature = %x, want %x", got, want)
	}
}
