//go:build 386 && !purego

package aes

import x86 "ucrypt/internal/aes/386"

// assembly is the GOARCH whose routines are built in.
const assembly = "386"

const (
	hasCTS = true
	hasXTS = false
)

func expand(t Tier, key []byte, rounds int, enc, dec *Schedule) bool {
	x86.ExpandKeyAESNI(&key[0], rounds, enc, dec)
	return true
}

func ecbEncrypt(c *Cipher, dst, src []byte) bool {
	if n := len(src) / BlockSize; n > 0 {
		x86.ECBEncAESNI(&c.enc, int(c.rounds), &dst[0], &src[0], n)
	}
	return true
}

func ecbDecrypt(c *Cipher, dst, src []byte) bool {
	if n := len(src) / BlockSize; n > 0 {
		x86.ECBDecAESNI(&c.dec, int(c.rounds), &dst[0], &src[0], n)
	}
	return true
}

func cbcEncrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) bool {
	if n := len(src) / BlockSize; n > 0 {
		x86.CBCEncAESNI(&c.enc, int(c.rounds), &dst[0], &src[0], n, iv)
	}
	return true
}

func cbcDecrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) bool {
	if n := len(src) / BlockSize; n > 0 {
		x86.CBCDecAESNI(&c.dec, int(c.rounds), &dst[0], &src[0], n, iv)
	}
	return true
}

func ctsEncrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) {
	x86.CTSEncAESNI(&c.enc, int(c.rounds), &dst[0], &src[0], len(src), iv)
}

func ctsDecrypt(c *Cipher, dst, src []byte, iv *[BlockSize]byte) {
	x86.CTSDecAESNI(&c.dec, int(c.rounds), &dst[0], &src[0], len(src), iv)
}

func xts(*Cipher, *Schedule, []byte, []byte, *[BlockSize]byte, bool)      {}
func xtsUnits(*Cipher, *Schedule, []byte, []byte, int, int, uint64, bool) {}
