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
	default:
		return false
	}
	return true
}

func ecb(t Tier, rk *Schedule, dst, src []byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	k, d, s := (*[rounds]uint32)(rk), &dst[0], &src[0]
	switch t {
	case CE:
		arm64.ECBCE(k, d, s, n)
	default:
		return false
	}
	return true
}

func cbcEncrypt(t Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	k, d, s := (*[rounds]uint32)(rk), &dst[0], &src[0]
	switch t {
	case CE:
		arm64.CBCEncCE(k, d, s, n, iv)
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
	k, d, s := (*[rounds]uint32)(rk), &dst[0], &src[0]
	switch t {
	case CE:
		arm64.CFBEncCE(k, d, s, n, iv)
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
	k, d, s := (*[rounds]uint32)(rk), &dst[0], &src[0]
	switch t {
	case CE:
		arm64.CBCDecCE(k, d, s, n, iv)
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
	k, d, s := (*[rounds]uint32)(rk), &dst[0], &src[0]
	switch t {
	case CE:
		arm64.CFBDecCE(k, d, s, n, iv)
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
	k, d, s := (*[rounds]uint32)(rk), &dst[0], &src[0]
	switch t {
	case CE:
		arm64.CTRCE(k, d, s, n, iv)
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
	k, t := (*[rounds]uint32)(rk), (*[rounds]uint32)(tk)
	direction := 0
	if decrypt {
		direction = 1
	}
	if gb {
		arm64.XTSGBCE(k, t, &dst[0], &src[0], len(src), size, &tweaks[0], direction)
	} else {
		arm64.XTSCE(k, t, &dst[0], &src[0], len(src), size, &tweaks[0], direction)
	}
}
