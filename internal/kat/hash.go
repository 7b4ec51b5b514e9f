package kat

import (
	"encoding/hex"
	"fmt"
)

// HashAnswer is one known answer of a hash or, with a key, of a MAC. The key is
// the bytes 0, 1, 2 and so on, the message is Message(Len).
type HashAnswer struct {
	KeyLen, Len int
	Digest      string // hex
}

// Key returns the key of n bytes that every HashAnswer of that KeyLen has.
func Key(n int) []byte {
	k := make([]byte, n)
	for i := range k {
		k[i] = byte(i)
	}
	return k
}

// CheckHash runs the answers of an algorithm on sum, which gets an empty key for
// the unkeyed ones. An algorithm without answers is an error: a driver that
// nothing checks must not pass.
func CheckHash(algorithm string, sum func(key, message []byte) []byte) error {
	answers := hashes[algorithm]
	if len(answers) == 0 {
		answers = macs[algorithm]
	}
	if len(answers) == 0 {
		return fmt.Errorf("no known answers for %s", algorithm)
	}
	for _, a := range answers {
		if got := sum(Key(a.KeyLen), Message(a.Len)); hex.EncodeToString(got) != a.Digest {
			return fmt.Errorf("%s, key of %d bytes, message of %d: wrong digest", algorithm, a.KeyLen, a.Len)
		}
	}
	return nil
}
