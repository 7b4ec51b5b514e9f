package sm4

import (
	"crypto/cipher"
	"strconv"

	"ucrypt/internal/mode"
	"ucrypt/internal/sm4"
)

// BlockSize is the size of a block in bytes, KeySize that of a key.
const (
	BlockSize = 16
	KeySize   = 16
)

// KeySizeError is the error of a key that is not KeySize bytes long; its value
// is the length that was given, in bytes.
type KeySizeError int

func (k KeySizeError) Error() string {
	return "sm4: key of " + strconv.Itoa(int(k)) + " bytes, want 16"
}

// NewCipher returns the block cipher of key, which is 16 bytes long and is
// copied. Any other length gives a KeySizeError.
//
// The block's Encrypt and Decrypt take the first 16 bytes of src to the first
// 16 of dst, which may be the same 16 bytes. They panic if either slice is
// shorter, or if the two blocks overlap in another way. The block may be used
// from many goroutines at once; the modes made from it may not.
func NewCipher(key []byte) (cipher.Block, error) {
	if len(key) != KeySize {
		return nil, KeySizeError(len(key))
	}
	return mode.NewBlock("sm4", mode.SM4(sm4.New((*[KeySize]byte)(key)))), nil
}
