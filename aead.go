package ucrypt

import (
	"crypto/cipher"

	"ucrypt/internal/ghash"
	"ucrypt/internal/mode"
)

// ErrAuthentication is the error of Open, of every AEAD, for a ciphertext, tag,
// nonce or associated data that do not belong together.
var ErrAuthentication = mode.ErrAuthentication

// NewAEAD returns the AEAD of an algorithm such as "gcm(sm4)", or of a driver
// such as "gcm-sm4-gfni-avx2". nonceSize and tagSize are in bytes: for gcm at
// least 1, best 12, and 4, 8 or 12 to 16; for ccm 7 to 13, and 4, 6, 8, 10, 12,
// 14 or 16. The key is copied. Errors are those of Lookup, a *KeySizeError, a
// *NonceSizeError and a *TagSizeError.
//
// The AEAD may be used from many goroutines at once. As crypto/cipher's do, Seal
// and Open panic for a nonce of another size, for buffers that overlap without
// beginning at the same byte, and Seal for a message that the mode, with this
// nonce size, is too short for. Nothing has been written then. The nonce of ccm
// is the bare one: the kernel's iv has 16 bytes, of which its first says how many
// belong to the nonce.
//
// Open writes no plaintext before the tag was found right. Otherwise it returns
// ErrAuthentication, and the memory that the plaintext would have taken is zero.
func NewAEAD(name string, key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
	r, d, err := open(name, TypeAEAD, key)
	if err != nil {
		return nil, err
	}
	switch r.algorithm {
	case gcm:
		if nonceSize < 1 {
			return nil, &NonceSizeError{Name: name, Got: nonceSize, Want: "at least 1"}
		}
		if !mode.GCMTagSize(tagSize) {
			return nil, &TagSizeError{Name: name, Got: tagSize, Want: "4, 8 or 12 to 16"}
		}
	case ccm:
		if !mode.CCMNonceSize(nonceSize) {
			return nil, &NonceSizeError{Name: name, Got: nonceSize, Want: "7 to 13"}
		}
		if !mode.CCMTagSize(tagSize) {
			return nil, &TagSizeError{Name: name, Got: tagSize, Want: "4, 6, 8, 10, 12, 14 or 16"}
		}
	}
	a, err := r.aead(key, nonceSize, tagSize)
	if err != nil {
		return nil, err
	}
	return cryptdAEAD(&d, a), nil
}

// aead returns the row's AEAD for a key and sizes that are right.
func (r *row) aead(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
	if r.algorithm == gcm {
		return mode.NewGCMTier("ucrypt", r.cipher(key), r.part.(ghash.Tier), nonceSize, tagSize)
	}
	c := r.cipher(key)
	mac := c
	if r.part != nil {
		mac = cipherOf(r.part, key).Composed()
	}
	return mode.NewCCMParts("ucrypt", c, mac, nonceSize, tagSize)
}
