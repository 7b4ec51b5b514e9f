package mode

import (
	"crypto/cipher"
	"errors"
)

// StdBlock is a Block that leaves CTR and GCM to a block of the standard
// library with the same key, whose own assembly crypto/cipher finds.
type StdBlock struct {
	Block
	std cipher.Block
}

// NewStdBlock returns the StdBlock of c. name begins the texts of its panics.
func NewStdBlock(name string, c Cipher, std cipher.Block) *StdBlock {
	return &StdBlock{Block{c, name}, std}
}

// NewCTR is what cipher.NewCTR calls.
func (b *StdBlock) NewCTR(iv []byte) cipher.Stream { return cipher.NewCTR(b.std, iv) }

// NewGCM is what cipher.NewGCM and its variants call, one of which sets the
// nonce's size and another the tag's.
func (b *StdBlock) NewGCM(nonceSize, tagSize int) (cipher.AEAD, error) {
	switch {
	case tagSize == 16:
		return cipher.NewGCMWithNonceSize(b.std, nonceSize)
	case nonceSize == 12:
		return cipher.NewGCMWithTagSize(b.std, tagSize)
	}
	return nil, errors.New(b.name + ": GCM with both a nonce and a tag of unusual size")
}
