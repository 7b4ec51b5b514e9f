package sm4

// EncryptAndHash encrypts block, and meanwhile does GHASH: first acc = acc times
// the key, then it absorbs a beginning of p, and if that is all of p, last. powers
// is what package ghash's routine for vectors of so many bytes wrote for the key.
//
// It returns how many bytes of p it has absorbed. If there are none, nothing was
// done: there is no routine for the pair, or p is too short for it.
func (c *Cipher) EncryptAndHash(block *[BlockSize]byte, powers *[1024]byte, vector int, acc *[BlockSize]byte, p []byte, last *[BlockSize]byte) int {
	if len(p) < hashTurn || !hasEncryptAndHash(c.tier, vector) {
		return 0
	}
	turns := min(len(p)/hashTurn, rounds/4)
	if turns*hashTurn < len(p) {
		last = nil
	}
	encryptAndHash(c.tier, &c.enc, block, powers, acc, p, turns, last)
	return turns * hashTurn
}

// hashTurn is how many bytes are absorbed beside four rounds.
const hashTurn = 512
