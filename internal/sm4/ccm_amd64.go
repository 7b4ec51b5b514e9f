//go:build !purego

package sm4

import "ucrypt/internal/sm4/amd64"

func hasMACAndCTR(t Tier) bool { return t == GFNIAVX2 }

// macAndCTR works on count blocks of src.
func macAndCTR(rk *Schedule, mac *[BlockSize]byte, p, dst, src []byte, count int, iv *[BlockSize]byte) {
	amd64.MACAndCTRGFNIAVX2((*[rounds]uint32)(rk), mac, &p[0], len(p)/BlockSize, &dst[0], &src[0], count, iv)
}
