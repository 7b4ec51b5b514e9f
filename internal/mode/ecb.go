package mode

// EncryptECB encrypts src, whole blocks, in electronic code book mode (NIST SP
// 800-38A section 6.1, GB/T 17964-2021 section 5).
func EncryptECB(c *Cipher, dst, src []byte) {
	size := c.BlockSize()
	for len(src) > 0 {
		n := call(len(src), parallelCall, size)
		c.encryptBlocks(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// DecryptECB is the inverse of EncryptECB.
func DecryptECB(c *Cipher, dst, src []byte) {
	size := c.BlockSize()
	for len(src) > 0 {
		n := call(len(src), parallelCall, size)
		c.decryptBlocks(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}
