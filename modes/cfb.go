package modes

import (
	"crypto/cipher"

	"ucrypt/internal/mode"
)

// NewCFBEncrypter returns a Stream that encrypts in cipher feedback mode with
// segments of a whole block (NIST SP 800-38A section 6.3: CFB-128 for SM4 and
// AES). iv has the size of a block and is copied; any other size panics. Bytes
// may be passed in pieces of any length.
//
// CFB does not authenticate: whoever can change the ciphertext can change the
// plaintext.
func NewCFBEncrypter(b cipher.Block, iv []byte) cipher.Stream {
	checkBlock(b)
	return mode.NewStream("modes", mode.Of(b), mode.OpCFBEncrypt, iv)
}

// NewCFBDecrypter is the inverse of NewCFBEncrypter, for the same iv.
func NewCFBDecrypter(b cipher.Block, iv []byte) cipher.Stream {
	checkBlock(b)
	return mode.NewStream("modes", mode.Of(b), mode.OpCFBDecrypt, iv)
}
