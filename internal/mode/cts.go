package mode

import (
	"crypto/subtle"

	"ucrypt/internal/aes"
)

// CTS names the order in which ciphertext stealing leaves the last two blocks
// (NIST SP 800-38A addendum).
type CTS uint8

const (
	CS3 CTS = iota // always swapped: the kernel's and Kerberos's
	CS1            // never swapped: the shortened block comes first
	CS2            // swapped if the last block is partial
)

// CTSRoutine returns the AES cipher whose CTSEncrypt and CTSDecrypt do all of
// EncryptCTS and DecryptCTS for CS3, or nil.
func (c *Cipher) CTSRoutine() *aes.Cipher {
	if a := c.fusedAES(); a != nil && a.Tier().HasCTS() == nil {
		return a
	}
	return nil
}

// EncryptCTS encrypts src, at least a block, in cipher block chaining mode with
// ciphertext stealing (NIST SP 800-38A addendum). One block is plain CBC in
// every variant. iv is left as it was.
func EncryptCTS(c *Cipher, variant CTS, dst, src, iv []byte) {
	if variant == CS3 {
		if f := c.fusedAES(); f != nil && f.CTSEncrypt(dst, src, (*[16]byte)(iv)) {
			return
		}
		if f := c.fused(); f != nil && f.CTSEncrypt(dst, src, (*[16]byte)(iv)) {
			return
		}
	}
	size := len(iv)
	var buf [maxBlock]byte
	chain := buf[:size]
	copy(chain, iv)
	if variant.plain(len(src), size) {
		EncryptCBC(c, dst, src, chain)
		return
	}

	// The chain now goes through the last block, filled up with zeros. The
	// block before is shortened by as much, since decryption finds the rest.
	tail := (len(src)-1)%size + 1
	whole := len(src) - tail
	EncryptCBC(c, dst[:whole], src[:whole], chain)
	var shortened [maxBlock]byte
	copy(shortened[:], chain[:tail])
	subtle.XORBytes(chain, chain[:tail], src[whole:])
	c.encryptBlocks(chain, chain)
	if variant == CS1 {
		copy(dst[whole-size:], shortened[:tail])
		copy(dst[whole-size+tail:], chain)
	} else {
		copy(dst[whole-size:], chain)
		copy(dst[whole:], shortened[:tail])
	}
}

// DecryptCTS is the inverse of EncryptCTS.
func DecryptCTS(c *Cipher, variant CTS, dst, src, iv []byte) {
	if variant == CS3 {
		if f := c.fusedAES(); f != nil && f.CTSDecrypt(dst, src, (*[16]byte)(iv)) {
			return
		}
		if f := c.fused(); f != nil && f.CTSDecrypt(dst, src, (*[16]byte)(iv)) {
			return
		}
	}
	size := len(iv)
	var buf [maxBlock]byte
	chain := buf[:size]
	copy(chain, iv)
	if variant.plain(len(src), size) {
		DecryptCBC(c, dst, src, chain)
		return
	}
	if variant != CS1 {
		c.decryptCS3(dst, src, chain)
		return
	}

	// CS1 is CS3 but for the order of the last two blocks.
	head := len(src) - size - len(src)%size
	last := src[head:]
	var swapped [2 * maxBlock]byte
	n := copy(swapped[:], last[len(last)-size:])
	n += copy(swapped[n:], last[:len(last)-size])
	DecryptCBC(c, dst[:head], src[:head], chain)
	c.decryptCS3(dst[head:], swapped[:n], chain)
}

// decryptCS3 decrypts more than a block in the order of CS3. It uses up chain.
func (c *Cipher) decryptCS3(dst, src, chain []byte) {
	size := len(chain)
	tail := (len(src)-1)%size + 1
	whole := len(src) - tail
	last := dst[whole-size : whole]
	if tail == size {
		// Nothing is shortened: it is CBC in another order.
		var block [maxBlock]byte
		copy(block[:size], src[whole:])
		copy(dst[whole:whole+size], src[whole-size:])
		copy(dst, src[:whole-size])
		copy(last, block[:size])
		DecryptCBC(c, dst[:len(src)], dst[:len(src)], chain)
		return
	}

	// before is the ciphertext block before the last two.
	var before, shortened [maxBlock]byte
	copy(before[:size], chain)
	if whole > size {
		copy(before[:size], src[whole-2*size:])
	}
	copy(shortened[:], src[whole:])

	// One run of CBC also decrypts the block that encryption made last. Less the
	// block that CBC adds, this is the last plaintext block, filled up with zeros,
	// plus the whole of the shortened block, whose lost end thus stands alone.
	DecryptCBC(c, dst[:whole], src[:whole], chain)
	subtle.XORBytes(last, last, before[:size])
	subtle.XORBytes(dst[whole:], last[:tail], shortened[:tail])
	copy(last, shortened[:tail])
	c.decryptBlocks(last, last)
	subtle.XORBytes(last, last, before[:size])
}

// plain reports whether n bytes are CBC without any stealing.
func (variant CTS) plain(n, size int) bool {
	return n == size || variant != CS3 && n%size == 0
}
