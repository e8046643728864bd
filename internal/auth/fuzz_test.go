package auth

import "testing"

// split cuts data into packets, each preceded by a byte for its length.
func split(data []byte) [][]byte {
	var packets [][]byte
	for len(data) > 0 && len(packets) < 8 {
		n := min(int(data[0]), len(data)-1)
		packets = append(packets, data[1:1+n])
		data = data[1+n:]
	}
	return packets
}

// FuzzClient feeds every client with a hostile server's packets: no panic, and nothing readable leaves
// an insecure transport.
func FuzzClient(f *testing.F) {
	public, err := PublicKeyPEM(testKey())
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("01234567890123456789\x00"), []byte{1, 4, 1, 3})
	f.Add([]byte("01234567890123456789"), append([]byte{1, 4, 255}, public[:255]...))
	f.Add([]byte("01234567890123456789012345678901"), []byte{})
	f.Fuzz(func(t *testing.T, challenge, data []byte) {
		const password = "fuzzed password"
		for _, plugin := range Plugins() {
			for _, o := range []ClientOptions{{}, {Secure: true}, {AllowPublicKeyRetrieval: true}, {ServerPublicKey: data}} {
				o.Password = password
				c, err := NewClient(plugin, o)
				if err != nil {
					t.Fatal(err)
				}
				reply, err := c.Start(challenge)
				for _, p := range split(data) {
					if !o.Secure && string(reply) == password+"\x00" {
						t.Fatalf("%s: password sent over an insecure transport", plugin)
					}
					if err != nil {
						break
					}
					reply, _, err = c.Next(p)
				}
			}
		}
	})
}

// FuzzServer feeds every server with a hostile client's packets: no panic, and nobody gets in.
func FuzzServer(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{1, 0})
	f.Add([]byte{1, 1, 1, 1})
	f.Add(append([]byte{32}, append(make([]byte, 32), 1, 2, 255, 2, 3)...))
	f.Add([]byte{4, 'n', 'o', 't', 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, plugin := range Plugins() {
			for _, o := range []ServerOptions{{}, {Secure: true}, {CacheHit: true}, {RSAKey: testKey()}, {Secure: true, UnixSocket: true}} {
				o.User, o.Password = "u", "a password that no fuzzer finds: 97531"
				s, err := NewServer(plugin, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range split(data) {
					_, state, err := s.Next(p)
					if state == OK {
						t.Fatalf("%s: %q got in", plugin, data)
					}
					if err != nil && state != Denied {
						t.Fatalf("%s: state %v besides error %v", plugin, state, err)
					}
				}
			}
		}
	})
}
