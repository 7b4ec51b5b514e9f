//go:build !purego

package sm4

import "ucrypt/internal/sm4/amd64"

func hasMACAndCTR(t Tier) bool { return t == GFNIAVX2 || t == GFNIAVX512 }

// macAndCTR works on count blocks of src.
func macAndCTR(t Tier, rk *Schedule, mac *[BlockSize]byte, p, dst, src []byte, count int, iv *[BlockSize]byte) {
	k, n := (*[rounds]uint32)(rk), len(p)/BlockSize
	if t == GFNIAVX512 {
		amd64.MACAndCTRGFNIAVX512(k, mac, &p[0], n, &dst[0], &src[0], count, iv)
		return
	}
	amd64.MACAndCTRGFNIAVX2(k, mac, &p[0], n, &dst[0], &src[0], count, iv)
}
