//go:build !purego

package sm4

import "ucrypt/internal/sm4/arm64"

// assembly is the GOARCH whose routines are built in.
const assembly = "arm64"

func expand(t Tier, key *[KeySize]byte, enc, dec *Schedule) bool {
	e, d := (*[rounds]uint32)(enc), (*[rounds]uint32)(dec)
	switch t {
	case CE:
		arm64.ExpandKeyCE(key, e, d)
	case AESE:
		arm64.AESE.ExpandKey(key, e, d)
	case NEON:
		arm64.NEON.ExpandKey(key, e, d)
	default:
		return false
	}
	return true
}

// block is ecb of one block.
func block(t Tier, rk *Schedule, dst, src *[BlockSize]byte) { ecb(t, rk, dst[:], src[:]) }

// ecb is that of the tier, or of Generic. It is asked for the most, and so not
// by way of a bool.
func ecb(t Tier, rk *Schedule, dst, src []byte) {
	n := len(src) / BlockSize
	if n == 0 {
		return
	}
	k := (*[rounds]uint32)(rk)
	switch t {
	case CE:
		arm64.ECBCE(k, &dst[0], &src[0], n)
	case AESE:
		arm64.AESE.ECB(k, dst, src)
	case NEON:
		arm64.NEON.ECB(k, dst, src)
	default:
		cryptGeneric(rk, dst, src)
	}
}

func cbcEncrypt(t Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	k := (*[rounds]uint32)(rk)
	switch t {
	case CE:
		arm64.CBCEncCE(k, &dst[0], &src[0], n, iv)
	case AESE:
		arm64.AESE.CBCEnc(k, dst, src, iv)
	case NEON:
		arm64.NEON.CBCEnc(k, dst, src, iv)
	default:
		return false
	}
	return true
}

func cfbEncrypt(t Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	k := (*[rounds]uint32)(rk)
	switch t {
	case CE:
		arm64.CFBEncCE(k, &dst[0], &src[0], n, iv)
	case AESE:
		arm64.AESE.CFBEnc(k, dst, src, iv)
	case NEON:
		arm64.NEON.CFBEnc(k, dst, src, iv)
	default:
		return false
	}
	return true
}

func cbcDecrypt(t Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	k := (*[rounds]uint32)(rk)
	switch t {
	case CE:
		arm64.CBCDecCE(k, &dst[0], &src[0], n, iv)
	case AESE:
		arm64.AESE.CBCDec(k, dst, src, iv)
	case NEON:
		arm64.NEON.CBCDec(k, dst, src, iv)
	default:
		return false
	}
	return true
}

func cfbDecrypt(t Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	k := (*[rounds]uint32)(rk)
	switch t {
	case CE:
		arm64.CFBDecCE(k, &dst[0], &src[0], n, iv)
	case AESE:
		arm64.AESE.CFBDec(k, dst, src, iv)
	case NEON:
		arm64.NEON.CFBDec(k, dst, src, iv)
	default:
		return false
	}
	return true
}

func ctr(t Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	k := (*[rounds]uint32)(rk)
	switch t {
	case CE:
		arm64.CTRCE(k, &dst[0], &src[0], n, iv)
	case AESE:
		arm64.AESE.CTR(k, dst, src, iv)
	case NEON:
		arm64.NEON.CTR(k, dst, src, iv)
	default:
		return false
	}
	return true
}

// hasFused reports whether the tier has the routines below.
func hasFused(t Tier) bool { return t == CE }

func ctsEncrypt(_ Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) {
	arm64.CTSEncCE((*[rounds]uint32)(rk), &dst[0], &src[0], len(src), iv)
}

func ctsDecrypt(_ Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) {
	arm64.CTSDecCE((*[rounds]uint32)(rk), &dst[0], &src[0], len(src), iv)
}

// xts works on data units of size bytes. With tk, tweaks is the tweak of the
// only one; without, it has all tweaks, encrypted.
func xts(_ Tier, rk, tk *Schedule, dst, src []byte, size int, tweaks []byte, gb, decrypt bool) {
	arm64.XTSCE((*[rounds]uint32)(rk), (*[rounds]uint32)(tk), &dst[0], &src[0], len(src), size, &tweaks[0], gb, decrypt)
}
