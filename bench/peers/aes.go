package peers

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"

	"github.com/jcmturner/aescts/v2"
	"golang.org/x/crypto/xts"
)

// An AES peer takes a message in place through a mode. Where the library makes a
// new slice for the answer, that is part of it.
type AES func(message, iv []byte) error

// AESPeers are the names of what OpenAES knows, with their modes.
var AESPeers = map[string]string{"crypto/cipher": "cbc", "aescts": "cts", "x/crypto/xts": "xts"}

// OpenAES returns a peer. Keys are expanded once where the library lets its
// user do so: not in aescts, whose functions take the key. Every message has its
// own iv, so crypto/cipher makes a new mode for each.
func OpenAES(peer string, decrypt bool, key []byte) (AES, error) {
	switch peer {
	case "crypto/cipher":
		b, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		if decrypt {
			return func(message, iv []byte) error {
				cipher.NewCBCDecrypter(b, iv).CryptBlocks(message, message)
				return nil
			}, nil
		}
		return func(message, iv []byte) error {
			cipher.NewCBCEncrypter(b, iv).CryptBlocks(message, message)
			return nil
		}, nil
	case "aescts":
		if decrypt {
			return func(message, iv []byte) error {
				out, err := aescts.Decrypt(key, iv, message)
				copy(message, out)
				return err
			}, nil
		}
		return func(message, iv []byte) error {
			_, out, err := aescts.Encrypt(key, iv, message)
			copy(message, out)
			return err
		}, nil
	case "x/crypto/xts":
		c, err := xts.NewCipher(aes.NewCipher, key)
		if err != nil {
			return nil, err
		}
		if decrypt {
			return func(message, iv []byte) error { c.Decrypt(message, message, sector(iv)); return nil }, nil
		}
		return func(message, iv []byte) error { c.Encrypt(message, message, sector(iv)); return nil }, nil
	}
	return nil, fmt.Errorf("peers: no AES peer %q", peer)
}

// sector is the number that an iv of xts begins with.
func sector(iv []byte) (n uint64) {
	for i := range 8 {
		n |= uint64(iv[i]) << (8 * i)
	}
	return n
}
