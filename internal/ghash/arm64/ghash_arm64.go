//go:build !purego

package arm64

// The routines need ASIMD and FEAT_PMULL. Nothing needs to be aligned.

// InitPMULL writes the powers of h, from the eighth one down, in the form that
// UpdatePMULL reads: 256 bytes.
//
//go:noescape
func InitPMULL(powers *[1024]byte, h *[16]byte)

// UpdatePMULL absorbs blocks blocks of 16 bytes from p on, at most 64 KiB: for
// each, acc = (acc xor block) times h. powers is what InitPMULL wrote for h.
// Nothing outside the blocks is read.
//
//go:noescape
func UpdatePMULL(powers *[1024]byte, acc *[16]byte, p *byte, blocks int)
