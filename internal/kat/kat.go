package kat

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Answer is one known answer of an skcipher.
type Answer struct {
	Key, IV string // hex; IV is empty for a mode without one
	Len     int    // bytes of Message
	Sum     string // hex of the first 16 bytes of the ciphertext's SHA-256
	Next    string // hex of the next iv
}

// Crypt encrypts or decrypts src to dst in place and replaces iv by the next
// one.
type Crypt func(key []byte, decrypt bool, dst, src, iv []byte) error

// Message returns the n bytes that every answer encrypts.
func Message(n int) []byte {
	m := make([]byte, n)
	for i := range m {
		m[i] = byte(7*i + 13*(i>>8) + i>>4)
	}
	return m
}

// Check runs the answers of an algorithm, in both directions; with wholeBlocks
// only those whose length is a multiple of 16 bytes and whose counter's low 32
// bits do not wrap. An algorithm without answers is an error: a driver that
// nothing checks must not pass.
func Check(algorithm string, wholeBlocks bool, crypt Crypt) error {
	answers := skciphers[algorithm]
	if len(answers) == 0 {
		answers = aesSkciphers[algorithm]
	}
	if len(answers) == 0 {
		return fmt.Errorf("no known answers for %s", algorithm)
	}
	for _, a := range answers {
		if wholeBlocks && (a.Len%16 != 0 || a.wraps()) {
			continue
		}
		if err := a.check(crypt); err != nil {
			return fmt.Errorf("%s, %d bytes: %w", algorithm, a.Len, err)
		}
	}
	return nil
}

func (a Answer) wraps() bool { return len(a.IV) > 8 && a.IV[len(a.IV)-8:] == "ffffffff" }

func (a Answer) check(crypt Crypt) error {
	key, iv, next := unhex(a.Key), unhex(a.IV), unhex(a.Next)
	message := Message(a.Len)
	buf := bytes.Clone(message)
	chain := bytes.Clone(iv)
	if err := crypt(key, false, buf, buf, chain); err != nil {
		return fmt.Errorf("encryption: %w", err)
	}
	if sum := sha256.Sum256(buf); hex.EncodeToString(sum[:16]) != a.Sum {
		return fmt.Errorf("encryption gives a wrong ciphertext")
	}
	if !bytes.Equal(chain, next) {
		return fmt.Errorf("encryption gives a wrong next iv")
	}
	out := make([]byte, a.Len)
	copy(chain, iv)
	if err := crypt(key, true, out, buf, chain); err != nil {
		return fmt.Errorf("decryption: %w", err)
	}
	if !bytes.Equal(out, message) {
		return fmt.Errorf("decryption gives a wrong plaintext")
	}
	if !bytes.Equal(chain, next) {
		return fmt.Errorf("decryption gives a wrong next iv")
	}
	return nil
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic("kat: " + err.Error())
	}
	return b
}
