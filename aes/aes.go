package aes

import (
	"crypto/aes"
	"crypto/cipher"
	"strconv"

	internal "ucrypt/internal/aes"
	"ucrypt/internal/mode"
)

// BlockSize is the size of a block in bytes.
const BlockSize = 16

// KeySizeError is the error of a key that is not 16, 24 or 32 bytes long; its
// value is the length that was given, in bytes.
type KeySizeError int

func (k KeySizeError) Error() string {
	return "aes: key of " + strconv.Itoa(int(k)) + " bytes, want 16, 24 or 32"
}

// NewCipher returns the block cipher of key, which is 16, 24 or 32 bytes long
// and is copied. Any other length gives a KeySizeError.
//
// The block's Encrypt and Decrypt take the first 16 bytes of src to the first
// 16 of dst, which may be the same 16 bytes. They panic if either slice is
// shorter, or if the two blocks overlap in another way. The block may be used
// from many goroutines at once; the modes made from it may not.
func NewCipher(key []byte) (cipher.Block, error) {
	switch len(key) {
	case 16, 24, 32:
	default:
		return nil, KeySizeError(len(key))
	}
	tier := internal.Best()
	if tier == internal.Go {
		return aes.NewCipher(key)
	}
	return mode.NewStdBlock("aes", mode.AES(internal.NewTier(tier, key)), key), nil
}
