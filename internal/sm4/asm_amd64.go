//go:build amd64 && !purego

package sm4

import "ucrypt/internal/sm4/amd64"

// assembly is the GOARCH whose routines are built in.
const assembly = "amd64"

// expand expands key in the folded basis, which all tiers share.
func expand(t Tier, key *[KeySize]byte, enc, dec *Schedule) bool {
	e, d := (*[rounds]uint32)(enc), (*[rounds]uint32)(dec)
	switch t {
	case AESNIAVX, AESNIAVX2, VAESAVX2:
		amd64.ExpandKeyAESNI(key, e, d)
	case GFNIAVX2, GFNIAVX512:
		amd64.ExpandKeyGFNI(key, e, d)
	default:
		return false
	}
	return true
}

// block is ecb of one block.
func block(t Tier, rk *Schedule, dst, src *[BlockSize]byte) {
	k := (*[rounds]uint32)(rk)
	switch t {
	case GFNIAVX512:
		amd64.BlockGFNIAVX512(k, &dst[0], &src[0])
	case GFNIAVX2:
		amd64.BlockGFNIAVX2(k, &dst[0], &src[0])
	case AESNIAVX, AESNIAVX2, VAESAVX2:
		amd64.BlockAESNIAVX(k, &dst[0], &src[0])
	default:
		cryptGeneric(rk, dst[:], src[:])
	}
}

// ecb is that of the tier, or of Generic. It is asked for the most, and so not
// by way of a bool.
func ecb(t Tier, rk *Schedule, dst, src []byte) {
	n := len(src) / BlockSize
	if n == 0 {
		return
	}
	if n == 1 {
		block(t, rk, (*[BlockSize]byte)(dst), (*[BlockSize]byte)(src))
		return
	}
	k, d, s := (*[rounds]uint32)(rk), &dst[0], &src[0]
	switch t {
	case AESNIAVX:
		amd64.ECBAESNIAVX(k, d, s, n)
	case AESNIAVX2:
		amd64.ECBAESNIAVX2(k, d, s, n)
	case VAESAVX2:
		amd64.ECBVAESAVX2(k, d, s, n)
	case GFNIAVX2:
		amd64.ECBGFNIAVX2(k, d, s, n)
	case GFNIAVX512:
		amd64.ECBGFNIAVX512(k, d, s, n)
	default:
		cryptGeneric(rk, dst, src)
	}
}

// The serial modes have one block in flight, which wider registers do not
// help: every AES-NI tier runs the same routine.

func cbcEncrypt(t Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	k, d, s := (*[rounds]uint32)(rk), &dst[0], &src[0]
	switch t {
	case AESNIAVX, AESNIAVX2, VAESAVX2:
		amd64.CBCEncAESNIAVX(k, d, s, n, iv)
	case GFNIAVX2:
		amd64.CBCEncGFNIAVX2(k, d, s, n, iv)
	case GFNIAVX512:
		amd64.CBCEncGFNIAVX512(k, d, s, n, iv)
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
	case AESNIAVX, AESNIAVX2, VAESAVX2:
		amd64.CFBEncAESNIAVX(k, d, s, n, iv)
	case GFNIAVX2:
		amd64.CFBEncGFNIAVX2(k, d, s, n, iv)
	case GFNIAVX512:
		amd64.CFBEncGFNIAVX512(k, d, s, n, iv)
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
	case AESNIAVX:
		amd64.CBCDecAESNIAVX(k, d, s, n, iv)
	case AESNIAVX2:
		amd64.CBCDecAESNIAVX2(k, d, s, n, iv)
	case VAESAVX2:
		amd64.CBCDecVAESAVX2(k, d, s, n, iv)
	case GFNIAVX2:
		amd64.CBCDecGFNIAVX2(k, d, s, n, iv)
	case GFNIAVX512:
		amd64.CBCDecGFNIAVX512(k, d, s, n, iv)
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
	case AESNIAVX:
		amd64.CFBDecAESNIAVX(k, d, s, n, iv)
	case AESNIAVX2:
		amd64.CFBDecAESNIAVX2(k, d, s, n, iv)
	case VAESAVX2:
		amd64.CFBDecVAESAVX2(k, d, s, n, iv)
	case GFNIAVX2:
		amd64.CFBDecGFNIAVX2(k, d, s, n, iv)
	case GFNIAVX512:
		amd64.CFBDecGFNIAVX512(k, d, s, n, iv)
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
	case AESNIAVX:
		amd64.CTRAESNIAVX(k, d, s, n, iv)
	case AESNIAVX2:
		amd64.CTRAESNIAVX2(k, d, s, n, iv)
	case VAESAVX2:
		amd64.CTRVAESAVX2(k, d, s, n, iv)
	case GFNIAVX2:
		amd64.CTRGFNIAVX2(k, d, s, n, iv)
	case GFNIAVX512:
		amd64.CTRGFNIAVX512(k, d, s, n, iv)
	default:
		return false
	}
	return true
}

// hasFused reports whether the tier has the routines below.
func hasFused(t Tier) bool { return t >= AESNIAVX && t <= GFNIAVX512 }

func ctsEncrypt(t Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) {
	k, d, s, n := (*[rounds]uint32)(rk), &dst[0], &src[0], len(src)
	switch t {
	case GFNIAVX512:
		amd64.CTSEncGFNIAVX512(k, d, s, n, iv)
	case GFNIAVX2:
		amd64.CTSEncGFNIAVX2(k, d, s, n, iv)
	default:
		amd64.CTSEncAESNIAVX(k, d, s, n, iv)
	}
}

func ctsDecrypt(t Tier, rk *Schedule, dst, src []byte, iv *[BlockSize]byte) {
	k, d, s, n := (*[rounds]uint32)(rk), &dst[0], &src[0], len(src)
	switch t {
	case GFNIAVX512:
		amd64.CTSDecGFNIAVX512(k, d, s, n, iv)
	case GFNIAVX2:
		amd64.CTSDecGFNIAVX2(k, d, s, n, iv)
	case VAESAVX2:
		amd64.CTSDecVAESAVX2(k, d, s, n, iv)
	case AESNIAVX2:
		amd64.CTSDecAESNIAVX2(k, d, s, n, iv)
	default:
		amd64.CTSDecAESNIAVX(k, d, s, n, iv)
	}
}

// xts works on data units of size bytes. With tk, tweaks is the tweak of the
// only one; without, it has all tweaks, encrypted.
func xts(t Tier, rk, tk *Schedule, dst, src []byte, size int, tweaks []byte, gb, decrypt bool) {
	k, w, d, s, n, tw := (*[rounds]uint32)(rk), (*[rounds]uint32)(tk), &dst[0], &src[0], len(src), &tweaks[0]
	flags := 0
	if decrypt {
		flags |= 1
	}
	if gb {
		flags |= 2
	}
	switch t {
	case GFNIAVX512:
		amd64.XTSGFNIAVX512(k, w, d, s, n, size, tw, flags)
	case GFNIAVX2:
		amd64.XTSGFNIAVX2(k, w, d, s, n, size, tw, flags)
	case VAESAVX2:
		amd64.XTSVAESAVX2(k, w, d, s, n, size, tw, flags)
	case AESNIAVX2:
		amd64.XTSAESNIAVX2(k, w, d, s, n, size, tw, flags)
	default:
		amd64.XTSAESNIAVX(k, w, d, s, n, size, tw, flags)
	}
}

// hasMany reports whether the tier has the routines of cbcEncryptMany.
func hasMany(t Tier) bool { return t == GFNIAVX2 || t == GFNIAVX512 }

// cbcEncryptMany encrypts blocks blocks of each message, of 16 messages or of
// all.
func cbcEncryptMany(t Tier, rk *Schedule, lanes *[manyPointers * manyLanes]*byte, few bool, blocks int) {
	k := (*[rounds]uint32)(rk)
	switch half := (*[manyPointers * manyLanes / 2]*byte)(lanes[:]); {
	case t == GFNIAVX512 && few:
		amd64.CBCEncMany16GFNIAVX512(k, half, blocks)
	case t == GFNIAVX512:
		amd64.CBCEncMany32GFNIAVX512(k, lanes, blocks)
	case few:
		amd64.CBCEncMany16GFNIAVX2(k, half, blocks)
	default:
		amd64.CBCEncMany32GFNIAVX2(k, lanes, blocks)
	}
}
