//go:build amd64 && !purego

package amd64

import "ucrypt/internal/routinetest"

// The reference with the routines' arguments: rk is the standard's encryption
// schedule, or for decryption its reverse.

var (
	refExpand = routinetest.SM4Expand
	refBlock  = routinetest.SM4Block
	refDouble = routinetest.Double
	reverse   = routinetest.SM4Reverse

	refECB    = withKeys(routinetest.ECB)
	refCBCEnc = withKeys(routinetest.CBCEncrypt)
	refCBCDec = withKeys(routinetest.CBCDecrypt)
	refCFBEnc = withKeys(routinetest.CFBEncrypt)
	refCFBDec = withKeys(routinetest.CFBDecrypt)
	refCTR    = withKeys(routinetest.CTR32)
	refCTSEnc = withKeys(routinetest.CTSEncrypt)
	refCTSDec = withKeys(routinetest.CTSDecrypt)
)

func withKeys(mode routinetest.Mode) func(rk *[32]uint32, src []byte, iv *[16]byte) []byte {
	return func(rk *[32]uint32, src []byte, iv *[16]byte) []byte { return mode(routinetest.SM4(rk), src, iv) }
}

func refXTS(rk *[32]uint32, src []byte, t [16]byte, gb, decrypt bool) []byte {
	return routinetest.XTS(routinetest.SM4(rk), src, &t, gb, decrypt)
}
