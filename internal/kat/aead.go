package kat

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// AEADAnswer is one known answer of an AEAD. Message(AAD) is the associated data.
type AEADAnswer struct {
	Key, Nonce string // hex
	AAD, Len   int    // bytes of associated data and of Message
	Tag        int    // bytes
	Sum        string // hex of the first 16 bytes of the SHA-256 of ciphertext and tag
}

// CheckAEAD runs the answers of an algorithm: sealed in place, opened apart, and
// refused when a bit of the tag is wrong. An algorithm without answers is an
// error: a driver that nothing checks must not pass.
//
// The answers were computed from OpenSSL 3.0's ecb by the definitions of the
// standards; the program that did so gave what OpenSSL gives for AES.
func CheckAEAD(algorithm string, newAEAD func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error)) error {
	answers := aeads[algorithm]
	if len(answers) == 0 {
		return fmt.Errorf("no known answers for %s", algorithm)
	}
	for _, a := range answers {
		if err := a.check(newAEAD); err != nil {
			return fmt.Errorf("%s, %d bytes, associated data of %d, tag of %d: %w", algorithm, a.Len, a.AAD, a.Tag, err)
		}
	}
	return nil
}

func (a AEADAnswer) check(newAEAD func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error)) error {
	nonce, message, additionalData := unhex(a.Nonce), Message(a.Len), Message(a.AAD)
	aead, err := newAEAD(unhex(a.Key), len(nonce), a.Tag)
	if err != nil {
		return err
	}
	buf := make([]byte, a.Len, a.Len+a.Tag)
	copy(buf, message)
	sealed := aead.Seal(buf[:0], nonce, buf, additionalData)
	if sum := sha256.Sum256(sealed); hex.EncodeToString(sum[:16]) != a.Sum {
		return fmt.Errorf("sealing gives a wrong ciphertext or tag")
	}
	opened, err := aead.Open(nil, nonce, sealed, additionalData)
	if err != nil {
		return fmt.Errorf("opening: %w", err)
	}
	if !bytes.Equal(opened, message) {
		return fmt.Errorf("opening gives a wrong plaintext")
	}
	sealed[len(sealed)-1] ^= 1
	if _, err := aead.Open(sealed[:0], nonce, sealed, additionalData); err == nil {
		return fmt.Errorf("a wrong tag is taken for right")
	}
	return nil
}
