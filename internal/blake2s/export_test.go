package blake2s

// Compress runs the routine of tier t on whole blocks.
func (t Tier) Compress(h *[8]uint32, counter uint64, last uint32, blocks []byte) {
	t.compress(h, counter, last, blocks)
}

// SetCounter makes d believe that it has compressed n bytes.
func (d *Digest) SetCounter(n uint64) { d.count = n }

// Assembly is the GOARCH whose routines are built in.
const Assembly = assembly

// MaxCall is how many bytes a routine takes in one call.
const MaxCall = maxCall
