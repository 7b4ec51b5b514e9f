//go:build 386 && !purego

// Package x86 holds the BLAKE2s compression function for 32-bit x86 processors
// with SSE4.1.
package x86

// CompressSSE41 takes n blocks of 64 bytes from p on into the chaining value h, as compressGeneric does. The counter is
// the number of bytes before the first of them, last the finalisation word. n is from 1 to 256, so that the garbage
// collector never waits long. p may have any alignment; nothing outside the blocks is read.
// Source: RFC 7693 section 3.2. Constant-time. Features: SSSE3, SSE4.1.
//
//go:noescape
func CompressSSE41(h *[8]uint32, counter uint64, last uint32, p *byte, n int)
