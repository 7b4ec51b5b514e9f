package sm4

// HasMACAndCTR reports whether the cipher has the routine of MACAndCTR.
func (c *Cipher) HasMACAndCTR() bool { return hasMACAndCTR(c.tier) }

// MAC chains the blocks of p, which stays as it is, into mac.
func (c *Cipher) MAC(mac *[BlockSize]byte, p []byte) bool {
	if !hasMACAndCTR(c.tier) {
		return false
	}
	if len(p) > 0 {
		var unused [BlockSize]byte
		macAndCTR(c.tier, &c.enc, mac, p, p, p, 0, &unused)
	}
	return true
}

// MACAndCTR chains the blocks of p, of which there is at least one, into mac: for
// each, mac = E(mac xor block). Meanwhile it adds the key stream of the counters
// from iv on to the blocks of src, of which there are at least one, and at most as
// many as of p, rounded up to a multiple of 8. dst and src may be p: a block is written
// when it and those up to the next multiple of 8 were read. iv is left as it was;
// the low 32 bits of the counter must not wrap before the last block.
func (c *Cipher) MACAndCTR(mac *[BlockSize]byte, p, dst, src []byte, iv *[BlockSize]byte) {
	macAndCTR(c.tier, &c.enc, mac, p, dst, src, len(src)/BlockSize, iv)
}
