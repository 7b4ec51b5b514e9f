package modes

import (
	"crypto/cipher"
	"strconv"

	"ucrypt/internal/alias"
	"ucrypt/internal/mode"
)

// CTSVariant is the order in which ciphertext stealing leaves the last two
// blocks of the ciphertext (NIST SP 800-38A addendum).
type CTSVariant uint8

const (
	// CS3 always swaps the last two blocks. It is what Kerberos (RFC 3962
	// section 5) and the kernel's cts(cbc(X)) do.
	CS3 CTSVariant = iota

	// CS1 never swaps: the second-last block is the one that may be shorter.
	// It is plain CBC for a multiple of the block size.
	CS1

	// CS2 is plain CBC for a multiple of the block size, and CS3 otherwise.
	CS2
)

// CTS is cipher block chaining with ciphertext stealing: CBC for any length
// from one block on, without padding (NIST SP 800-38A addendum, RFC 3962
// section 5, RFC 8009). A message of exactly one block is plain CBC.
//
// CTS does not authenticate: whoever can change the ciphertext can change the
// plaintext. Kerberos adds a MAC; the kernel encrypts file names with it.
//
// A CTS is not changed by use: many goroutines may share it. Its methods do not
// allocate. Its constant-time status is that of the cipher.
type CTS struct {
	c       mode.Cipher
	variant mode.CTS
}

// NewCTS returns the CTS of a cipher with blocks of any size up to 128 bytes.
// It is CS3 unless a variant is given. NewCTS panics if the variant is none of
// the three, or if there is more than one.
func NewCTS(b cipher.Block, variant ...CTSVariant) *CTS {
	checkBlock(b)
	if len(variant) > 1 {
		panic("modes: " + strconv.Itoa(len(variant)) + " CTS variants, want at most one")
	}
	v := mode.CS3
	for _, name := range variant {
		switch name {
		case CS3:
			v = mode.CS3
		case CS1:
			v = mode.CS1
		case CS2:
			v = mode.CS2
		default:
			panic("modes: unknown CTS variant " + strconv.Itoa(int(name)))
		}
	}
	return &CTS{mode.Of(b), v}
}

// Encrypt encrypts src, a whole message, into the first len(src) bytes of dst,
// which may be longer. dst may be src exactly. iv is only read.
//
// Encrypt panics, before anything is written, if iv has not the size of a
// block, if src is shorter than a block, if dst is shorter than src, or if dst
// overlaps src in another way or iv in any.
func (c *CTS) Encrypt(dst, src, iv []byte) {
	c.check(dst, src, iv)
	mode.EncryptCTS(&c.c, c.variant, dst, src, iv)
}

// Decrypt is the inverse of Encrypt.
func (c *CTS) Decrypt(dst, src, iv []byte) {
	c.check(dst, src, iv)
	mode.DecryptCTS(&c.c, c.variant, dst, src, iv)
}

func (c *CTS) check(dst, src, iv []byte) {
	size := c.c.BlockSize()
	checkIV(iv, size)
	if len(src) < size {
		panic("modes: CTS input of " + strconv.Itoa(len(src)) + " bytes, want at least " + strconv.Itoa(size))
	}
	checkBuffers(dst, src, iv)
}

func checkIV(iv []byte, size int) {
	if len(iv) != size {
		panic("modes: IV of " + strconv.Itoa(len(iv)) + " bytes, want " + strconv.Itoa(size))
	}
}

// checkBuffers panics for buffers that no mode takes. iv must not be written
// over, for it is the caller's.
func checkBuffers(dst, src, iv []byte) {
	if len(dst) < len(src) {
		panic("modes: output smaller than input")
	}
	if dst = dst[:len(src)]; alias.InexactOverlap(dst, src) || alias.AnyOverlap(dst, iv) {
		panic("modes: invalid buffer overlap")
	}
}
