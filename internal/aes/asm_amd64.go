//go:build amd64 && !purego

package aes

import "ucrypt/internal/aes/amd64"

// assembly is the GOARCH whose routines are built in.
const assembly = "amd64"

// hasCTS and hasXTS report whether all tiers but Go have the routines.
const (
	hasCTS = true
	hasXTS = true
)

// expand expands key. All tiers read the same form.
func expand(t Tier, key []byte, rounds int, enc, dec *Schedule) bool {
	amd64.ExpandKeyAESNI(&key[0], rounds, enc, dec)
	return true
}

func ecbEncrypt(c *Cipher, dst, src []byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	r, d, s := int(c.rounds), &dst[0], &src[0]
	switch c.tier {
	case AESNI:
		amd64.ECBEncAESNI(&c.enc, r, d, s, n)
	case VAESAVX2:
		amd64.ECBEncVAESAVX2(&c.enc, r, d, s, n)
	case VAESAVX512:
		amd64.ECBEncVAESAVX512(&c.enc, r, d, s, n)
	default:
		return false
	}
	return true
}

func ecbDecrypt(c *Cipher, dst, src []byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	r, d, s := int(c.rounds), &dst[0], &src[0]
	switch c.tier {
	case AESNI:
		amd64.ECBDecAESNI(&c.dec, r, d, s, n)
	case VAESAVX2:
		amd64.ECBDecVAESAVX2(&c.dec, r, d, s, n)
	case VAESAVX512:
		amd64.ECBDecVAESAVX512(&c.dec, r, d, s, n)
	default:
		return false
	}
	return true
}

// The serial modes have one block in flight, which wider registers do not
// help: every tier runs the same routine.

func cbcEncrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) bool {
	if n := len(src) / BlockSize; n > 0 {
		amd64.CBCEncAESNI(&c.enc, int(c.rounds), &dst[0], &src[0], n, iv)
	}
	return true
}

func ctsEncrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) {
	amd64.CTSEncAESNI(&c.enc, int(c.rounds), &dst[0], &src[0], len(src), iv)
}

func cbcDecrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	r, d, s := int(c.rounds), &dst[0], &src[0]
	switch c.tier {
	case AESNI:
		amd64.CBCDecAESNI(&c.dec, r, d, s, n, iv)
	case VAESAVX2:
		amd64.CBCDecVAESAVX2(&c.dec, r, d, s, n, iv)
	case VAESAVX512:
		amd64.CBCDecVAESAVX512(&c.dec, r, d, s, n, iv)
	default:
		return false
	}
	return true
}

func ctsDecrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) {
	r, d, s, n := int(c.rounds), &dst[0], &src[0], len(src)
	switch c.tier {
	case AESNI:
		amd64.CTSDecAESNI(&c.dec, r, d, s, n, iv)
	case VAESAVX2:
		amd64.CTSDecVAESAVX2(&c.dec, r, d, s, n, iv)
	case VAESAVX512:
		amd64.CTSDecVAESAVX512(&c.dec, r, d, s, n, iv)
	}
}

func xts(c *Cipher, tweak *Schedule, dst, src []byte, iv *[BlockSize]byte, decrypt bool) {
	r, d, s, n := int(c.rounds), &dst[0], &src[0], len(src)
	if decrypt {
		switch c.tier {
		case AESNI:
			amd64.XTSDecAESNI(&c.dec, tweak, r, d, s, n, iv)
		case VAESAVX2:
			amd64.XTSDecVAESAVX2(&c.dec, tweak, r, d, s, n, iv)
		case VAESAVX512:
			amd64.XTSDecVAESAVX512(&c.dec, tweak, r, d, s, n, iv)
		}
		return
	}
	switch c.tier {
	case AESNI:
		amd64.XTSEncAESNI(&c.enc, tweak, r, d, s, n, iv)
	case VAESAVX2:
		amd64.XTSEncVAESAVX2(&c.enc, tweak, r, d, s, n, iv)
	case VAESAVX512:
		amd64.XTSEncVAESAVX512(&c.enc, tweak, r, d, s, n, iv)
	}
}

func xtsUnits(c *Cipher, tweak *Schedule, dst, src []byte, units, size int, first uint64, decrypt bool) {
	r, d, s := int(c.rounds), &dst[0], &src[0]
	if decrypt {
		switch c.tier {
		case AESNI:
			amd64.XTSDecUnitsAESNI(&c.dec, tweak, r, d, s, units, size, first)
		case VAESAVX2:
			amd64.XTSDecUnitsVAESAVX2(&c.dec, tweak, r, d, s, units, size, first)
		case VAESAVX512:
			amd64.XTSDecUnitsVAESAVX512(&c.dec, tweak, r, d, s, units, size, first)
		}
		return
	}
	switch c.tier {
	case AESNI:
		amd64.XTSEncUnitsAESNI(&c.enc, tweak, r, d, s, units, size, first)
	case VAESAVX2:
		amd64.XTSEncUnitsVAESAVX2(&c.enc, tweak, r, d, s, units, size, first)
	case VAESAVX512:
		amd64.XTSEncUnitsVAESAVX512(&c.enc, tweak, r, d, s, units, size, first)
	}
}
