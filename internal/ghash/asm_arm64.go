//go:build !purego

package ghash

import "ucrypt/internal/ghash/arm64"

// assembly is the GOARCH whose routines are built in.
const assembly = "arm64"

func initialize(t Tier, powers *[powersSize]byte, h *[BlockSize]byte) bool {
	if t != PMULL {
		return false
	}
	arm64.InitPMULL(powers, h)
	return true
}

// update absorbs the whole blocks of p, of which there is at least one.
func update(_ Tier, powers *[powersSize]byte, acc *[BlockSize]byte, p []byte) {
	arm64.UpdatePMULL(powers, acc, &p[0], len(p)/BlockSize)
}
