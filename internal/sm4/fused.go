package sm4

import "encoding/binary"

// parallelCall and serialCall bound the bytes that one call of a routine works
// on. Assembly cannot be preempted, so a longer call would hold up the garbage
// collector; serial routines are several times slower.
const (
	parallelCall = 64 << 10
	serialCall   = 16 << 10
)

// The methods below are modes whose tails the tier's routines do too. They take
// any length from a block on, whole blocks or not, and leave iv as it was.

// CTSEncrypt encrypts src in CBC mode with ciphertext stealing (CS3). A message
// that one call may not work on is plain CBC up to its end.
func (c *Cipher) CTSEncrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	if !hasFused(c.tier) {
		return false
	}
	if len(src) > BlockSize && len(src) <= serialCall+BlockSize {
		ctsEncrypt(c.tier, &c.enc, dst, src, iv)
		return true
	}
	chain := *iv
	for len(src) > serialCall+BlockSize {
		cbcEncrypt(c.tier, &c.enc, dst[:serialCall], src[:serialCall], &chain)
		dst, src = dst[serialCall:], src[serialCall:]
	}
	if len(src) == BlockSize {
		return cbcEncrypt(c.tier, &c.enc, dst, src, &chain)
	}
	ctsEncrypt(c.tier, &c.enc, dst, src, &chain)
	return true
}

// CTSDecrypt is the inverse of CTSEncrypt.
func (c *Cipher) CTSDecrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	if !hasFused(c.tier) {
		return false
	}
	if len(src) > BlockSize && len(src) <= parallelCall+BlockSize {
		ctsDecrypt(c.tier, &c.dec, dst, src, iv)
		return true
	}
	chain := *iv
	for len(src) > parallelCall+BlockSize {
		cbcDecrypt(c.tier, &c.dec, dst[:parallelCall], src[:parallelCall], &chain)
		dst, src = dst[parallelCall:], src[parallelCall:]
	}
	if len(src) == BlockSize {
		return cbcDecrypt(c.tier, &c.dec, dst, src, &chain)
	}
	ctsDecrypt(c.tier, &c.dec, dst, src, &chain)
	return true
}

// XTSEncrypt encrypts a data unit in XTS mode: IEEE Std 1619-2018's, or GB/T
// 17964-2021's if gb. iv is the tweak before its encryption with tweak. There is
// no routine if tweak has another tier than c.
func (c *Cipher) XTSEncrypt(tweak *Cipher, dst, src []byte, iv *[BlockSize]byte, gb bool) bool {
	return c.xts(&c.enc, tweak, dst, src, iv, gb, false)
}

// XTSDecrypt is the inverse of XTSEncrypt.
func (c *Cipher) XTSDecrypt(tweak *Cipher, dst, src []byte, iv *[BlockSize]byte, gb bool) bool {
	return c.xts(&c.dec, tweak, dst, src, iv, gb, true)
}

func (c *Cipher) xts(rk *Schedule, tweak *Cipher, dst, src []byte, iv *[BlockSize]byte, gb, decrypt bool) bool {
	if tweak.tier != c.tier || !hasFused(c.tier) {
		return false
	}
	if len(src) < parallelCall+BlockSize {
		xts(c.tier, rk, &tweak.enc, dst, src, len(src), iv[:], gb, decrypt)
		return true
	}
	// The routine takes up where it stopped if it is given the encrypted tweak of
	// the next block. What is left for the last call is not shorter than a block.
	t := *iv
	tweak.EncryptBlocks(t[:], t[:])
	for len(src) >= parallelCall+BlockSize {
		xts(c.tier, rk, nil, dst[:parallelCall], src[:parallelCall], parallelCall, t[:], gb, decrypt)
		dst, src = dst[parallelCall:], src[parallelCall:]
	}
	xts(c.tier, rk, nil, dst, src, len(src), t[:], gb, decrypt)
	return true
}

// XTSEncryptUnits encrypts data units of size bytes, at least a block each; the
// last one may be shorter, down to a block. The tweak of a unit is its number,
// counted from first on, in little-endian order and filled up with zeros.
func (c *Cipher) XTSEncryptUnits(tweak *Cipher, dst, src []byte, size int, first uint64, gb bool) bool {
	return c.xtsUnits(&c.enc, tweak, dst, src, size, first, gb, false)
}

// XTSDecryptUnits is the inverse of XTSEncryptUnits.
func (c *Cipher) XTSDecryptUnits(tweak *Cipher, dst, src []byte, size int, first uint64, gb bool) bool {
	return c.xtsUnits(&c.dec, tweak, dst, src, size, first, gb, true)
}

func (c *Cipher) xtsUnits(rk *Schedule, tweak *Cipher, dst, src []byte, size int, first uint64, gb, decrypt bool) bool {
	if tweak.tier != c.tier || !hasFused(c.tier) {
		return false
	}
	size = min(size, len(src)) // a longer unit is no other, and sums of it may overflow
	// The tweaks of a batch are encrypted together: one by one, each unit would
	// wait for its own.
	var tweaks [16 * BlockSize]byte
	for len(src) > 0 {
		units := len(tweaks) / BlockSize
		if size > parallelCall/units {
			units = max(parallelCall/size, 1)
		}
		n := min(units*size, len(src))
		units = (n + size - 1) / size
		clear(tweaks[:])
		for i := range units {
			binary.LittleEndian.PutUint64(tweaks[i*BlockSize:], first)
			first++
		}
		if n < parallelCall+BlockSize {
			ts := tweaks[:units*BlockSize]
			tweak.EncryptBlocks(ts, ts)
			xts(c.tier, rk, nil, dst[:n], src[:n], size, ts, gb, decrypt)
		} else {
			c.xts(rk, tweak, dst[:n], src[:n], (*[BlockSize]byte)(tweaks[:]), gb, decrypt)
		}
		dst, src = dst[n:], src[n:]
	}
	return true
}
