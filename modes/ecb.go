package modes

import (
	"crypto/cipher"

	"ucrypt/internal/mode"
)

// NewECBEncrypter returns a BlockMode that encrypts each block by itself
// (electronic code book, NIST SP 800-38A section 6.1, GB/T 17964-2021). Equal
// plaintext blocks give equal ciphertext blocks, so ECB hides no pattern: it
// is a building block and a format to be compatible with, not a way to protect
// data.
//
// CryptBlocks panics if len(src) is not a multiple of the block size.
func NewECBEncrypter(b cipher.Block) cipher.BlockMode {
	checkBlock(b)
	return mode.NewBlockMode("modes", mode.Of(b), mode.OpECBEncrypt, nil)
}

// NewECBDecrypter is the inverse of NewECBEncrypter.
func NewECBDecrypter(b cipher.Block) cipher.BlockMode {
	checkBlock(b)
	return mode.NewBlockMode("modes", mode.Of(b), mode.OpECBDecrypt, nil)
}
