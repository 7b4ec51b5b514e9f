// Package aes implements the AES block cipher (FIPS 197) with keys of 128, 192
// and 256 bits, as a replacement for crypto/aes in code that works on files,
// disks and protocols in CBC, CTS and XTS.
//
// On x86-64 with AES-NI, and there with VAES in registers of 256 and 512 bits,
// and on 32-bit x86 with AES-NI, the cipher, its key expansion included, runs in
// assembly that is constant-time: no branch and no memory address depends on a
// key or on data. Elsewhere, with the build tag purego, and with
// UCRYPT_DISABLE=aes, it is crypto/aes, which is constant-time where Go has
// assembly for it.
//
// A cipher.Block encrypts one block at a time. The fast code works on many, so
// it is reached through a mode: cipher.NewCBCEncrypter and
// cipher.NewCBCDecrypter over this package's block use it, and so do the modes
// of package ucrypt/modes. For GCM and CTR Go's own assembly is as fast as the
// processor allows: cipher.NewGCM and cipher.NewCTR over this package's block
// are those of crypto/aes. GCM with tags of less than 16 bytes is not, since
// crypto/cipher's writes behind its output.
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
