package blake2s

// maxCall is how many bytes a routine takes in one call: blocks are chained, so
// this bounds how long the garbage collector may have to wait for it.
const maxCall = 16 << 10

// compress takes whole blocks into h with the routine of tier t; see
// compressGeneric.
func (t Tier) compress(h *[8]uint32, counter uint64, last uint32, blocks []byte) {
	for len(blocks) > maxCall {
		t.compressSome(h, counter, last, blocks[:maxCall])
		counter += maxCall
		blocks = blocks[maxCall:]
	}
	t.compressSome(h, counter, last, blocks)
}

func (t Tier) compressSome(h *[8]uint32, counter uint64, last uint32, blocks []byte) {
	if t == Generic || !compress(t, h, counter, last, blocks) {
		compressGeneric(h, counter, last, blocks)
	}
}
