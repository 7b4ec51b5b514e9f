package mode

import "encoding/binary"

// ctr32 adds the key stream of counter blocks from iv on to the whole blocks of
// src, and replaces iv by the one after the last. Of the counter only the low 32
// bits count and wrap (NIST SP 800-38D section 6.5): the upper 96 bits stay.
func (c *Cipher) ctr32(dst, src []byte, iv *[16]byte) {
	for len(src) > 0 {
		n := min(len(src), parallelCall)
		if low := binary.BigEndian.Uint32(iv[12:]); low > 1<<32-parallelCall/16 {
			n = int(min(uint64(n), (1<<32-uint64(low))*16))
		}
		if c.sm4 == nil || !c.sm4.CTR(dst[:n], src[:n], iv) {
			c.plainCTR32(dst[:n], src[:n], iv)
		}
		dst, src = dst[n:], src[n:]
	}
}

// plainCTR32 goes back to ctr, whose counter has 128 bits.
func (c *Cipher) plainCTR32(dst, src []byte, iv *[16]byte) {
	upper := [12]byte(iv[:])
	c.ctr(dst, src, iv[:])
	copy(iv[:], upper[:])
}
