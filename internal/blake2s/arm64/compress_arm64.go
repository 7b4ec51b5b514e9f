//go:build !purego

package arm64

// Compress takes n blocks of 64 bytes from p on into the chaining value h. The
// counter is the number of bytes before the first of them, last the
// finalisation word. n must be from 1 to 256, so that the garbage collector
// never waits long; p may have any alignment and may overlap nothing.
//
//go:noescape
func Compress(h *[8]uint32, counter uint64, last uint32, p *byte, n int)
