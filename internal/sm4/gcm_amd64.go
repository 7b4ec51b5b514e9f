//go:build !purego

package sm4

import "ucrypt/internal/sm4/amd64"

// hasEncryptAndHash reports whether the tier has the routine for GHASH with
// vectors of so many bytes.
func hasEncryptAndHash(t Tier, vector int) bool {
	switch t {
	case AESNIAVX, AESNIAVX2:
		return vector == 16
	case VAESAVX2, GFNIAVX2:
		return vector == 32
	case GFNIAVX512:
		return vector == 64
	}
	return false
}

func encryptAndHash(t Tier, rk *Schedule, block *[BlockSize]byte, powers *[1024]byte, acc *[BlockSize]byte, p []byte, turns int, last *[BlockSize]byte) {
	k := (*[rounds]uint32)(rk)
	switch t {
	case GFNIAVX512:
		amd64.EncryptAndHashGFNIVPCLMULAVX512(k, block, powers, acc, &p[0], turns, last)
	case GFNIAVX2:
		amd64.EncryptAndHashGFNIVPCLMULAVX2(k, block, powers, acc, &p[0], turns, last)
	case VAESAVX2:
		amd64.EncryptAndHashAESNIVPCLMULAVX2(k, block, powers, acc, &p[0], turns, last)
	default:
		amd64.EncryptAndHashAESNICLMUL(k, block, powers, acc, &p[0], turns, last)
	}
}
