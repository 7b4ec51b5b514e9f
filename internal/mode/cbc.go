package mode

import (
	"crypto/subtle"

	"ucrypt/internal/aes"
	"ucrypt/internal/sm4"
)

// CBCRoutine returns the AES cipher whose CBCEncrypt and CBCDecrypt do all of
// EncryptCBC and DecryptCBC for messages of up to aes.SerialCall bytes, or nil.
func (c *Cipher) CBCRoutine() *aes.Cipher {
	if c.aes == nil || c.aes.Tier() == aes.Go {
		return nil
	}
	return c.aes
}

// EncryptCBC encrypts src, whole blocks, in cipher block chaining mode (NIST
// SP 800-38A section 6.2) and replaces iv by the last ciphertext block.
func EncryptCBC(c *Cipher, dst, src, iv []byte) {
	for len(src) > 0 {
		n := call(len(src), serialCall, len(iv))
		if (c.sm4 == nil || !c.sm4.CBCEncrypt(dst[:n], src[:n], (*[16]byte)(iv))) &&
			(c.aes == nil || !c.aes.CBCEncrypt(dst[:n], src[:n], (*[16]byte)(iv))) {
			c.cbcEncrypt(dst[:n], src[:n], iv)
		}
		dst, src = dst[n:], src[n:]
	}
}

// EncryptCBCMany encrypts independent messages, each as EncryptCBC does, side by
// side where the cipher has a routine for it.
func EncryptCBCMany(c *Cipher, messages []sm4.Message) {
	if c.sm4 != nil && c.sm4.CBCEncryptMany(messages) {
		return
	}
	for _, m := range messages {
		EncryptCBC(c, m.Dst, m.Src, m.IV[:])
	}
}

// cbcEncrypt is serial: each block needs the ciphertext of the one before.
func (c *Cipher) cbcEncrypt(dst, src, iv []byte) {
	size := len(iv)
	for ; len(src) > 0; dst, src = dst[size:], src[size:] {
		subtle.XORBytes(iv, iv, src[:size])
		c.encryptBlocks(iv, iv)
		copy(dst, iv)
	}
}

// DecryptCBC is the inverse of EncryptCBC; it too leaves the last ciphertext
// block in iv.
func DecryptCBC(c *Cipher, dst, src, iv []byte) {
	for len(src) > 0 {
		n := call(len(src), parallelCall, len(iv))
		if (c.sm4 == nil || !c.sm4.CBCDecrypt(dst[:n], src[:n], (*[16]byte)(iv))) &&
			(c.aes == nil || !c.aes.CBCDecrypt(dst[:n], src[:n], (*[16]byte)(iv))) {
			c.cbcDecrypt(dst[:n], src[:n], iv)
		}
		dst, src = dst[n:], src[n:]
	}
}

// cbcDecrypt decrypts the blocks of a batch together. It keeps the ciphertext
// shifted by one block, since dst may be src.
func (c *Cipher) cbcDecrypt(dst, src, iv []byte) {
	var previous [batch]byte
	size := len(iv)
	for len(src) > 0 {
		n := min(len(src), batch-batch%size)
		copy(previous[:], iv)
		copy(previous[size:], src[:n-size])
		copy(iv, src[n-size:n])
		c.decryptBlocks(dst[:n], src[:n])
		subtle.XORBytes(dst[:n], dst[:n], previous[:n])
		dst, src = dst[n:], src[n:]
	}
}
