package mode

import (
	"crypto/aes"
	"crypto/cipher"
	"sync"
)

// StdBlock is an AES Block that leaves CTR and GCM to crypto/aes's block of the
// same key, whose own assembly crypto/cipher finds. That block is made when it
// is first asked for: it takes longer than the rest of a short message.
type StdBlock struct {
	Block
	once sync.Once
	std  cipher.Block
	size uint8 // of the key
	key  [32]byte
}

// NewStdBlock returns the StdBlock of c, whose key is key. name begins the texts
// of its panics.
func NewStdBlock(name string, c Cipher, key []byte) *StdBlock {
	b := &StdBlock{Block: Block{c, name}}
	b.size = uint8(copy(b.key[:], key))
	return b
}

// stdBlock makes crypto/aes's block on the first call.
func (b *StdBlock) stdBlock() cipher.Block {
	b.once.Do(func() {
		std, err := aes.NewCipher(b.key[:b.size])
		if err != nil {
			panic(b.name + ": " + err.Error())
		}
		b.std = std
	})
	return b.std
}

// NewCTR is what cipher.NewCTR calls.
func (b *StdBlock) NewCTR(iv []byte) cipher.Stream { return cipher.NewCTR(b.stdBlock(), iv) }

// NewGCM is what cipher.NewGCM and its variants call. Tags of unusual sizes are
// not left to crypto/cipher, which writes the whole tag there, beyond the end of
// the output.
func (b *StdBlock) NewGCM(nonceSize, tagSize int) (cipher.AEAD, error) {
	if tagSize == 16 && nonceSize > 0 {
		return cipher.NewGCMWithNonceSize(b.stdBlock(), nonceSize)
	}
	return b.Block.NewGCM(nonceSize, tagSize)
}
