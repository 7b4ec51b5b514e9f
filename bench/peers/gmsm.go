// Package peers opens other libraries' ciphers for measuring.
package peers

import (
	"crypto/cipher"
	"fmt"

	gmsmcipher "github.com/emmansun/gmsm/cipher"
	"github.com/emmansun/gmsm/sm4"
)

// Modes are the modes that GMSM knows.
var Modes = []string{"ecb", "cbc", "cfb", "ctr"}

// GMSM returns what takes a message in place through a mode of
// github.com/emmansun/gmsm's SM4. Each message has its own iv, so each gets a
// new stream or mode, as the library's users must; ecb has none, so one value
// serves all messages.
func GMSM(mode string, decrypt bool, key []byte) (func(message, iv []byte), error) {
	b, err := sm4.NewCipher(key)
	if err != nil {
		return nil, err
	}
	switch {
	case mode == "ecb" && !decrypt:
		m := gmsmcipher.NewECBEncrypter(b)
		return func(message, _ []byte) { m.CryptBlocks(message, message) }, nil
	case mode == "ecb":
		m := gmsmcipher.NewECBDecrypter(b)
		return func(message, _ []byte) { m.CryptBlocks(message, message) }, nil
	case mode == "cbc" && !decrypt:
		return func(message, iv []byte) { cipher.NewCBCEncrypter(b, iv).CryptBlocks(message, message) }, nil
	case mode == "cbc":
		return func(message, iv []byte) { cipher.NewCBCDecrypter(b, iv).CryptBlocks(message, message) }, nil
	case mode == "cfb" && !decrypt:
		return func(message, iv []byte) { cipher.NewCFBEncrypter(b, iv).XORKeyStream(message, message) }, nil
	case mode == "cfb":
		return func(message, iv []byte) { cipher.NewCFBDecrypter(b, iv).XORKeyStream(message, message) }, nil
	case mode == "ctr":
		return func(message, iv []byte) { cipher.NewCTR(b, iv).XORKeyStream(message, message) }, nil
	}
	return nil, fmt.Errorf("peers: gmsm has no mode %q", mode)
}

// Work is GMSM as n messages of a length, for package speed.
func Work(mode string, decrypt bool, bytes int) (func(n int) error, error) {
	key, iv, message := make([]byte, sm4.BlockSize), make([]byte, sm4.BlockSize), make([]byte, bytes)
	crypt, err := GMSM(mode, decrypt, key)
	if err != nil {
		return nil, err
	}
	return func(n int) error {
		for range n {
			crypt(message, iv)
		}
		return nil
	}, nil
}
