//go:build amd64 && !purego

package sm4

import "ucrypt/internal/sm4/amd64"

// assembly is the GOARCH whose routines are built in.
const assembly = "amd64"

// expand expands key in the folded basis of the AES-NI tiers.
func expand(t Tier, key *[KeySize]byte, enc, dec *Schedule) bool {
	switch t {
	case AESNIAVX, AESNIAVX2:
		amd64.ExpandKeyAESNI(key, (*[rounds]uint32)(enc), (*[rounds]uint32)(dec))
		return true
	}
	return false
}

func ecb(t Tier, rk *Schedule, dst, src []byte) bool {
	n := len(src) / BlockSize
	if n == 0 {
		return true
	}
	k, d, s := (*[rounds]uint32)(rk), &dst[0], &src[0]
	switch t {
	case AESNIAVX:
		amd64.ECBAESNIAVX(k, d, s, n)
	case AESNIAVX2:
		amd64.ECBAESNIAVX2(k, d, s, n)
	default:
		return false
	}
	return true
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
	case AESNIAVX, AESNIAVX2:
		amd64.CBCEncAESNIAVX(k, d, s, n, iv)
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
	case AESNIAVX, AESNIAVX2:
		amd64.CFBEncAESNIAVX(k, d, s, n, iv)
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
	default:
		return false
	}
	return true
}
