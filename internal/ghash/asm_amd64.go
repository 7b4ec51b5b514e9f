//go:build amd64 && !purego

package ghash

import "ucrypt/internal/ghash/amd64"

// assembly is the GOARCH whose routines are built in.
const assembly = "amd64"

func initialize(t Tier, powers *[powersSize]byte, h *[BlockSize]byte) bool {
	switch t {
	case CLMUL:
		amd64.InitCLMUL(powers, h)
	case VPCLMULAVX2:
		amd64.InitVPCLMULAVX2(powers, h)
	case VPCLMULAVX512:
		amd64.InitVPCLMULAVX512(powers, h)
	default:
		return false
	}
	return true
}

// update absorbs the whole blocks of p, of which there is at least one.
func update(t Tier, powers *[powersSize]byte, acc *[BlockSize]byte, p []byte) {
	n := len(p) / BlockSize
	switch t {
	case CLMUL:
		amd64.UpdateCLMUL(powers, acc, &p[0], n)
	case VPCLMULAVX2:
		amd64.UpdateVPCLMULAVX2(powers, acc, &p[0], n)
	case VPCLMULAVX512:
		amd64.UpdateVPCLMULAVX512(powers, acc, &p[0], n)
	}
}
