package modes

import "crypto/cipher"

// checkBlock panics, in words, if there is no cipher.
func checkBlock(b cipher.Block) {
	if b == nil {
		panic("modes: nil cipher.Block")
	}
}

// newBlock returns the cipher of a key. It panics, in words, if there is no newCipher, or
// no cipher and no error.
func newBlock(newCipher func(key []byte) (cipher.Block, error), key []byte) (cipher.Block, error) {
	if newCipher == nil {
		panic("modes: nil instead of a function that makes a cipher.Block")
	}
	b, err := newCipher(key)
	if err == nil && b == nil {
		panic("modes: a function that makes a cipher.Block returned nil and no error")
	}
	return b, err
}
