package mode

import "crypto/subtle"

// EncryptCFB encrypts src, of any length, in cipher feedback mode with
// segments of a whole block (NIST SP 800-38A section 6.3, CFB-128 for a cipher
// of 16 bytes). It replaces iv by the last whole ciphertext block and leaves
// it if there is none.
func EncryptCFB(c *Cipher, dst, src, iv []byte) {
	size := len(iv)
	for len(src) >= size {
		n := call(len(src)-len(src)%size, serialCall, size)
		if c.sm4 == nil || !c.sm4.CFBEncrypt(dst[:n], src[:n], (*[16]byte)(iv)) {
			c.cfbEncrypt(dst[:n], src[:n], iv)
		}
		dst, src = dst[n:], src[n:]
	}
	c.xorBlock(dst, src, iv)
}

func (c *Cipher) cfbEncrypt(dst, src, iv []byte) {
	size := len(iv)
	for ; len(src) > 0; dst, src = dst[size:], src[size:] {
		c.encryptBlocks(iv, iv)
		subtle.XORBytes(iv, iv, src[:size])
		copy(dst, iv)
	}
}

// DecryptCFB is the inverse of EncryptCFB, with the same next iv.
func DecryptCFB(c *Cipher, dst, src, iv []byte) {
	body, n := lastBatch(len(src), len(iv))
	c.cfbBlocks(dst[:body], src[:body], iv)
	if n > 0 {
		// Behind the last whole block, what the padding decrypts to is dropped and
		// so is the next iv that it gives.
		var buf [tailBatch]byte
		var block [maxBlock]byte
		next := block[:len(iv)]
		copy(next, iv)
		if n > len(iv) {
			copy(next, src[body+n-2*len(iv):])
		}
		copy(buf[:], src[body:])
		c.cfbBlocks(buf[:n], buf[:n], iv)
		copy(dst[body:len(src)], buf[:])
		copy(iv, next)
	}
}

// cfbBlocks decrypts whole blocks.
func (c *Cipher) cfbBlocks(dst, src, iv []byte) {
	for len(src) > 0 {
		n := call(len(src), parallelCall, len(iv))
		if c.sm4 == nil || !c.sm4.CFBDecrypt(dst[:n], src[:n], (*[16]byte)(iv)) {
			c.cfbDecrypt(dst[:n], src[:n], iv)
		}
		dst, src = dst[n:], src[n:]
	}
}

// cfbDecrypt works out the key stream of a batch together: it is the
// encryption of iv and of the ciphertext blocks but the last.
func (c *Cipher) cfbDecrypt(dst, src, iv []byte) {
	var stream [batch]byte
	size := len(iv)
	for len(src) > 0 {
		n := min(len(src), batch-batch%size)
		copy(stream[:], iv)
		copy(stream[size:], src[:n-size])
		copy(iv, src[n-size:n])
		c.encryptBlocks(stream[:n], stream[:n])
		subtle.XORBytes(dst[:n], src[:n], stream[:n])
		dst, src = dst[n:], src[n:]
	}
}

// xorBlock adds the encryption of block to src, which is shorter than a block.
func (c *Cipher) xorBlock(dst, src, block []byte) {
	if len(src) == 0 {
		return
	}
	var stream [maxBlock]byte
	size := len(block)
	c.encryptBlocks(stream[:size], block)
	subtle.XORBytes(dst, src, stream[:size])
}
