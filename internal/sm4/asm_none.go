//go:build !(amd64 || arm64) || purego

package sm4

// Without assembly only the generic tier is built; the functions of this file
// report that there is no routine, but for ecb and block, which every tier has.

const assembly = ""

func expand(Tier, *[KeySize]byte, *Schedule, *Schedule) bool { return false }
func ecb(_ Tier, rk *Schedule, dst, src []byte)              { cryptGeneric(rk, dst, src) }
func block(_ Tier, rk *Schedule, dst, src *[BlockSize]byte)  { cryptGeneric(rk, dst[:], src[:]) }

func cbcEncrypt(Tier, *Schedule, []byte, []byte, *[BlockSize]byte) bool { return false }
func cbcDecrypt(Tier, *Schedule, []byte, []byte, *[BlockSize]byte) bool { return false }
func cfbEncrypt(Tier, *Schedule, []byte, []byte, *[BlockSize]byte) bool { return false }
func cfbDecrypt(Tier, *Schedule, []byte, []byte, *[BlockSize]byte) bool { return false }
func ctr(Tier, *Schedule, []byte, []byte, *[BlockSize]byte) bool        { return false }
