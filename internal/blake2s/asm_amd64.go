//go:build !purego

package blake2s

import "ucrypt/internal/blake2s/amd64"

// assembly is the GOARCH whose routines are built in.
const assembly = "amd64"

// compress reports false, with nothing done, if tier t has no routine here.
func compress(t Tier, h *[8]uint32, counter uint64, last uint32, blocks []byte) bool {
	if len(blocks) < BlockSize {
		return true
	}
	switch t {
	case X86:
		amd64.CompressX86(h, counter, last, &blocks[0], len(blocks)/BlockSize)
	case SSE41:
		amd64.CompressSSE41(h, counter, last, &blocks[0], len(blocks)/BlockSize)
	case AVX512:
		amd64.CompressAVX512(h, counter, last, &blocks[0], len(blocks)/BlockSize)
	default:
		return false
	}
	return true
}

func compressMany(t ManyTier, width int, l *lanes, p *[maxLanes]*byte, n int) {
	switch {
	case t == ManyAVX2:
		amd64.Many8AVX2(&l.h, &l.counter, &l.last, p, n)
	case width == 8:
		amd64.Many8AVX512(&l.h, &l.counter, &l.last, p, n)
	default:
		amd64.Many16AVX512(&l.h, &l.counter, &l.last, p, n)
	}
}
