//go:build !purego

package arm64

// The routines of tier neon need Advanced SIMD only, those of tier aese the AES
// instructions too. The assembly has the cipher on many blocks, with something
// added to the result; the modes are made of it here, the same for both tiers.
// Only the serial modes, which have one block in flight, are assembly as a
// whole.
//
// rk is a schedule as expanded by the tier's ExpandKey. Messages are whole
// blocks, at least one; dst is src exactly or does not overlap it.

// wideNEON applies rk to n batches of 16 blocks and adds xor unless it is nil.
//
//go:noescape
func wideNEON(rk *[32]uint32, dst, in, xor *byte, n int)

// narrowNEON applies rk to 4 blocks and adds xor unless it is nil.
//
//go:noescape
func narrowNEON(rk *[32]uint32, dst, in, xor *byte)

//go:noescape
func cbcEncNEON(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

//go:noescape
func cfbEncNEON(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

// countersNEON writes n counter values from iv on, rounded up to a multiple of
// four, and adds n to the low 32 bits of iv.
//
//go:noescape
func countersNEON(dst *byte, n int, iv *[16]byte)

//go:noescape
func expandNEON(key *[16]byte, enc, dec *[32]uint32)

//go:noescape
func wideAESE(rk *[32]uint32, dst, in, xor *byte, n int)

//go:noescape
func narrowAESE(rk *[32]uint32, dst, in, xor *byte)

//go:noescape
func cbcEncAESE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

//go:noescape
func cfbEncAESE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

// foldAESE takes round keys into the basis of tier aese.
//
//go:noescape
func foldAESE(rk *[32]uint32)

// Path is a choice of the assembly under the modes below.
type Path uint8

const (
	NEON Path = iota
	AESE
)

// ExpandKey expands key into the round keys of both directions.
func (p Path) ExpandKey(key *[16]byte, enc, dec *[32]uint32) {
	expandNEON(key, enc, dec)
	if p == AESE {
		foldAESE(enc)
		foldAESE(dec)
	}
}

func (p Path) wide(rk *[32]uint32, dst, in, xor *byte, n int) {
	if p == AESE {
		wideAESE(rk, dst, in, xor, n)
	} else {
		wideNEON(rk, dst, in, xor, n)
	}
}

func (p Path) narrow(rk *[32]uint32, dst, in, xor *byte) {
	if p == AESE {
		narrowAESE(rk, dst, in, xor)
	} else {
		narrowNEON(rk, dst, in, xor)
	}
}

const (
	wide   = 16 * 16 // bytes of a batch
	narrow = 4 * 16
	chunk  = 2 * wide // what a mode prepares at a time

	// What one call of the assembly works on at most: it cannot be preempted, and
	// on a small core a byte takes it a dozen cycles, a serial mode 150.
	wideCall   = 64 * wide
	serialCall = 2 << 10
)

// crypt applies rk to in and adds xor, which is as long or nil. dst may be in or
// xor.
func (p Path) crypt(rk *[32]uint32, dst, in, xor []byte) {
	for len(in) >= wide {
		n := min(len(in), wideCall) / wide
		var x *byte
		if xor != nil {
			x = &xor[0]
			xor = xor[n*wide:]
		}
		p.wide(rk, &dst[0], &in[0], x, n)
		dst, in = dst[n*wide:], in[n*wide:]
	}
	// Up to two narrow passes are faster than a wide one.
	for len(in) > 0 {
		if len(in) < narrow || len(in) > 2*narrow {
			p.padded(rk, dst, in, xor)
			return
		}
		var x *byte
		if xor != nil {
			x = &xor[0]
			xor = xor[narrow:]
		}
		p.narrow(rk, &dst[0], &in[0], x)
		dst, in = dst[narrow:], in[narrow:]
	}
}

// padded is crypt on less than a batch.
func (p Path) padded(rk *[32]uint32, dst, in, xor []byte) {
	if len(in) < narrow {
		var block, mask [narrow]byte
		copy(block[:], in)
		copy(mask[:], xor)
		p.narrow(rk, &block[0], &block[0], &mask[0])
		copy(dst[:len(in)], block[:])
		return
	}
	var block, mask [wide]byte
	copy(block[:], in)
	copy(mask[:], xor)
	p.wide(rk, &block[0], &block[0], &mask[0], 1)
	copy(dst[:len(in)], block[:])
}

// ECB applies rk to each block.
func (p Path) ECB(rk *[32]uint32, dst, src []byte) { p.crypt(rk, dst, src, nil) }

// CBCEnc encrypts in CBC mode and replaces iv by the last block of the
// ciphertext.
func (p Path) CBCEnc(rk *[32]uint32, dst, src []byte, iv *[16]byte) {
	for len(src) > 0 {
		n := min(len(src), serialCall)
		if p == AESE {
			cbcEncAESE(rk, &dst[0], &src[0], n/16, iv)
		} else {
			cbcEncNEON(rk, &dst[0], &src[0], n/16, iv)
		}
		dst, src = dst[n:], src[n:]
	}
}

// CFBEnc encrypts in CFB mode and replaces iv by the last block of the
// ciphertext.
func (p Path) CFBEnc(rk *[32]uint32, dst, src []byte, iv *[16]byte) {
	for len(src) > 0 {
		n := min(len(src), serialCall)
		if p == AESE {
			cfbEncAESE(rk, &dst[0], &src[0], n/16, iv)
		} else {
			cfbEncNEON(rk, &dst[0], &src[0], n/16, iv)
		}
		dst, src = dst[n:], src[n:]
	}
}

// CBCDec is the inverse of CBCEnc, with the same next iv.
func (p Path) CBCDec(rk *[32]uint32, dst, src []byte, iv *[16]byte) {
	var previous [chunk]byte
	for len(src) > 0 {
		n := min(len(src), chunk)
		copy(previous[:], iv[:])
		copy(previous[16:], src[:n-16])
		copy(iv[:], src[n-16:n])
		p.crypt(rk, dst[:n], src[:n], previous[:n])
		dst, src = dst[n:], src[n:]
	}
}

// CFBDec is the inverse of CFBEnc, with the same next iv.
func (p Path) CFBDec(rk *[32]uint32, dst, src []byte, iv *[16]byte) {
	var previous [chunk]byte
	for len(src) > 0 {
		n := min(len(src), chunk)
		copy(previous[:], iv[:])
		copy(previous[16:], src[:n-16])
		copy(iv[:], src[n-16:n])
		p.crypt(rk, dst[:n], previous[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// CTR adds the key stream of the counter values from iv on and replaces iv by
// the next one. Only its low 32 bits count; they must not wrap before the last
// block.
func (p Path) CTR(rk *[32]uint32, dst, src []byte, iv *[16]byte) {
	var counters [chunk]byte
	for len(src) > 0 {
		n := min(len(src), chunk)
		countersNEON(&counters[0], n/16, iv)
		p.crypt(rk, dst[:n], counters[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}
