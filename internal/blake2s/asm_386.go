//go:build !purego

package blake2s

import x86 "ucrypt/internal/blake2s/386"

// assembly is the GOARCH whose routines are built in.
const assembly = "386"

// compress reports false, with nothing done, if tier t has no routine here.
func compress(t Tier, h *[8]uint32, counter uint64, last uint32, blocks []byte) bool {
	if len(blocks) < BlockSize {
		return true
	}
	switch t {
	case SSE41:
		x86.CompressSSE41(h, counter, last, &blocks[0], len(blocks)/BlockSize)
	default:
		return false
	}
	return true
}
