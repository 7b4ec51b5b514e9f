package mode

import (
	"crypto/cipher"

	"ucrypt/internal/alias"
	"ucrypt/internal/sm4"
)

// Block is the cipher.Block that the packages of the block ciphers return. It
// has the methods that crypto/cipher looks for, so that code written for
// crypto/cipher takes the fast path. It is safe for concurrent use; the modes
// that it makes are not, as in crypto/cipher.
type Block struct {
	c    Cipher
	name string // of the cipher's package, for panics
}

// NewBlock returns the Block of c. name begins the texts of its panics.
func NewBlock(name string, c Cipher) *Block { return &Block{c, name} }

// BlockSize returns the cipher's block size in bytes.
func (b *Block) BlockSize() int { return b.c.BlockSize() }

// Encrypt encrypts the first block of src into dst. It panics if either is
// shorter than a block, or if the two blocks overlap without being the same.
func (b *Block) Encrypt(dst, src []byte) {
	if b.c.sm4 != nil && separate(dst, src) {
		b.c.sm4.EncryptBlock((*[blockSize]byte)(dst), (*[blockSize]byte)(src))
		return
	}
	b.check(dst, src)
	b.c.encryptBlocks(dst[:blockSize], src[:blockSize])
}

// Decrypt is the inverse of Encrypt.
func (b *Block) Decrypt(dst, src []byte) {
	if b.c.sm4 != nil && separate(dst, src) {
		b.c.sm4.DecryptBlock((*[blockSize]byte)(dst), (*[blockSize]byte)(src))
		return
	}
	b.check(dst, src)
	b.c.decryptBlocks(dst[:blockSize], src[:blockSize])
}

// blockSize is that of all ciphers which have a Block.
const blockSize = sm4.BlockSize

// separate reports, for the most part, whether dst and src have a block each and
// are the same or do not overlap. It is short enough to be inlined: in the time of
// one block, a call more can be seen.
func separate(dst, src []byte) bool {
	return len(dst) >= blockSize && len(src) >= blockSize && (alias.Together(dst, src) || alias.Apart(dst, src))
}

// check panics if a block of dst and src cannot be worked on.
func (b *Block) check(dst, src []byte) {
	if len(src) < blockSize {
		panic(b.name + ": input not full block")
	}
	if len(dst) < blockSize {
		panic(b.name + ": output not full block")
	}
	if alias.InexactOverlap(dst[:blockSize], src[:blockSize]) {
		panic(b.name + ": invalid buffer overlap")
	}
}

// NewCTR is what cipher.NewCTR calls.
func (b *Block) NewCTR(iv []byte) cipher.Stream { return NewStream(b.name, b.c, OpCTR, iv) }

// NewCBCEncrypter is what cipher.NewCBCEncrypter calls.
func (b *Block) NewCBCEncrypter(iv []byte) cipher.BlockMode {
	return NewBlockMode(b.name, b.c, OpCBCEncrypt, iv)
}

// NewCBCDecrypter is what cipher.NewCBCDecrypter calls.
func (b *Block) NewCBCDecrypter(iv []byte) cipher.BlockMode {
	return NewBlockMode(b.name, b.c, OpCBCDecrypt, iv)
}

// NewGCM is what cipher.NewGCM and its variants call.
func (b *Block) NewGCM(nonceSize, tagSize int) (cipher.AEAD, error) {
	g, err := NewGCM(b.name, b.c, nonceSize, tagSize)
	if err != nil {
		return nil, err // not a non-nil interface that holds a nil
	}
	return g, nil
}
