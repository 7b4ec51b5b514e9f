package mode

import (
	"crypto/subtle"
	"encoding/binary"
)

// CTR encrypts or decrypts src, of any length, in counter mode (NIST SP
// 800-38A section 6.5). The whole of iv is one big-endian counter, which
// wraps. It is replaced by its value after the last block; a partial block
// uses up a counter value.
func CTR(c *Cipher, dst, src, iv []byte) {
	body, n := lastBatch(len(src), len(iv))
	c.ctrBlocks(dst[:body], src[:body], iv)
	if n > 0 {
		var buf [tailBatch]byte
		copy(buf[:], src[body:])
		c.ctrBlocks(buf[:n], buf[:n], iv)
		copy(dst[body:len(src)], buf[:])
	}
}

// ctrBlocks works on whole blocks.
func (c *Cipher) ctrBlocks(dst, src, iv []byte) {
	for len(src) > 0 {
		n := call(len(src), parallelCall, len(iv))
		if c.sm4 == nil || !c.ctrSM4(dst, src, iv, &n) {
			c.ctr(dst[:n], src[:n], iv)
		}
		dst, src = dst[n:], src[n:]
	}
}

// ctrSM4 lets the cipher's own routine work on the first *n bytes, cut so that
// the low 32 bits of the counter do not wrap on the way.
func (c *Cipher) ctrSM4(dst, src, iv []byte, n *int) bool {
	if room := uint64(1<<32-uint64(binary.BigEndian.Uint32(iv[12:]))) * 16; uint64(*n) > room {
		*n = int(room)
	}
	if !c.sm4.CTR(dst[:*n], src[:*n], (*[16]byte)(iv)) {
		return false
	}
	if binary.BigEndian.Uint32(iv[12:]) == 0 {
		increment(iv[:12])
	}
	return true
}

func (c *Cipher) ctr(dst, src, iv []byte) {
	var stream [batch]byte
	size := len(iv)
	for len(src) > 0 {
		n := min(len(src), batch-batch%size)
		for i := 0; i < n; i += size {
			copy(stream[i:], iv)
			increment(iv)
		}
		c.encryptBlocks(stream[:n], stream[:n])
		subtle.XORBytes(dst[:n], src[:n], stream[:n])
		dst, src = dst[n:], src[n:]
	}
}

// increment adds one to a big-endian counter.
func increment(counter []byte) {
	for i := len(counter) - 1; i >= 0; i-- {
		counter[i]++
		if counter[i] != 0 {
			return
		}
	}
}
