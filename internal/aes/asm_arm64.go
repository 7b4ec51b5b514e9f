//go:build !purego

package aes

import "ucrypt/internal/aes/arm64"

// assembly is the GOARCH whose routines are built in.
const assembly = "arm64"

// hasCTS and hasXTS report whether all tiers but Go have the routines.
const (
	hasCTS = true
	hasXTS = true
)

func expand(_ Tier, key []byte, rounds int, enc, dec *Schedule) bool {
	arm64.ExpandKeyCE(&key[0], rounds, enc, dec)
	return true
}

func ecbEncrypt(c *Cipher, dst, src []byte) bool {
	if n := len(src) / BlockSize; n > 0 {
		arm64.ECBEncCE(&c.enc, int(c.rounds), &dst[0], &src[0], n)
	}
	return true
}

func ecbDecrypt(c *Cipher, dst, src []byte) bool {
	if n := len(src) / BlockSize; n > 0 {
		arm64.ECBDecCE(&c.dec, int(c.rounds), &dst[0], &src[0], n)
	}
	return true
}

func cbcEncrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) bool {
	if n := len(src) / BlockSize; n > 0 {
		arm64.CBCEncCE(&c.enc, int(c.rounds), &dst[0], &src[0], n, iv)
	}
	return true
}

func cbcDecrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) bool {
	if n := len(src) / BlockSize; n > 0 {
		arm64.CBCDecCE(&c.dec, int(c.rounds), &dst[0], &src[0], n, iv)
	}
	return true
}

func ctsEncrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) {
	arm64.CTSEncCE(&c.enc, int(c.rounds), &dst[0], &src[0], len(src), iv)
}

func ctsDecrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) {
	arm64.CTSDecCE(&c.dec, int(c.rounds), &dst[0], &src[0], len(src), iv)
}

func xts(c *Cipher, tweak *Schedule, dst, src []byte, iv *[BlockSize]byte, decrypt bool) {
	if decrypt {
		arm64.XTSDecCE(&c.dec, tweak, int(c.rounds), &dst[0], &src[0], len(src), iv)
	} else {
		arm64.XTSEncCE(&c.enc, tweak, int(c.rounds), &dst[0], &src[0], len(src), iv)
	}
}

func xtsUnits(c *Cipher, tweak *Schedule, dst, src []byte, units, size int, first uint64, decrypt bool) {
	if decrypt {
		arm64.XTSDecUnitsCE(&c.dec, tweak, int(c.rounds), &dst[0], &src[0], units, size, first)
	} else {
		arm64.XTSEncUnitsCE(&c.enc, tweak, int(c.rounds), &dst[0], &src[0], units, size, first)
	}
}
