// Package aescts encrypts in AES-CBC with ciphertext stealing as Kerberos does
// (RFC 3962 section 5, RFC 8009 section 5), with ucrypt's assembly. It has the
// path and the functions of github.com/jcmturner/aescts/v2, so that programs
// that use that package, such as gokrb5, run on this one with two lines in
// their go.mod:
//
//	replace github.com/jcmturner/aescts/v2 => DIR/aescts
//	replace ucrypt => DIR
//
// where DIR is the folder of ucrypt, and "go mod tidy" after them. No function
// panics, changes its arguments, or returns memory that is shared with them.
//
// CTS does not authenticate: whoever can change the ciphertext can change the
// plaintext. Kerberos adds an HMAC.
package aescts

import (
	"fmt"

	"ucrypt/aes"
	"ucrypt/modes"
)

// Encrypt encrypts plaintext under a key of 16, 24 or 32 bytes and an iv of 16.
// It returns the iv of the message that follows, which is the encryption of the
// last plaintext block, and the ciphertext.
//
// The ciphertext is as long as the plaintext, except that a plaintext of less
// than a block is filled up with zeros to 16 bytes, as RFC 3962 has it: its
// length must be known otherwise. An empty plaintext gives an empty ciphertext
// and the same iv. The two slices that are returned do not overlap.
func Encrypt(key, iv, plaintext []byte) (next, ciphertext []byte, err error) {
	c, err := newCTS(key, iv)
	if err != nil {
		return nil, nil, err
	}
	n := len(plaintext)
	if n > 0 {
		n = max(n, aes.BlockSize)
	}
	both := make([]byte, aes.BlockSize+n)
	next, ciphertext = both[:aes.BlockSize:aes.BlockSize], both[aes.BlockSize:]
	if n == 0 {
		copy(next, iv)
		return next, ciphertext, nil
	}
	if len(plaintext) < aes.BlockSize {
		copy(ciphertext, plaintext)
		plaintext = ciphertext
	}
	c.Encrypt(ciphertext, plaintext, iv)
	last := (n - 1) / aes.BlockSize * aes.BlockSize // where the last block begins
	copy(next, ciphertext[max(0, last-aes.BlockSize):])
	return next, ciphertext, nil
}

// Decrypt is the inverse of Encrypt. The ciphertext must have at least 16 bytes.
// The iv of the message that follows is the block of the ciphertext before its
// last, perhaps partial, one, or its only block.
func Decrypt(key, iv, ciphertext []byte) ([]byte, error) {
	c, err := newCTS(key, iv)
	if err != nil {
		return nil, err
	}
	if len(ciphertext) < aes.BlockSize {
		return nil, fmt.Errorf("aescts: ciphertext of %d bytes, want at least %d", len(ciphertext), aes.BlockSize)
	}
	plaintext := make([]byte, len(ciphertext))
	c.Decrypt(plaintext, ciphertext, iv)
	return plaintext, nil
}

func newCTS(key, iv []byte) (*modes.CTS, error) {
	b, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("aescts: %w", err)
	}
	if len(iv) != aes.BlockSize {
		return nil, fmt.Errorf("aescts: iv of %d bytes, want %d", len(iv), aes.BlockSize)
	}
	return modes.NewCTS(b), nil
}
