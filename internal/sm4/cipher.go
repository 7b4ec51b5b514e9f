package sm4

import "errors"

// Cipher is an expanded key for one tier. It is not changed after New, so many
// goroutines may use it.
//
// Its methods work on whole blocks: len(src) is a multiple of BlockSize,
// len(dst) is at least len(src), and dst is src exactly or does not overlap it.
// Package mode, the only caller, keeps these rules and bounds the work of a
// call. A method that returns a bool reports false, with nothing done, if the
// tier has no routine for that mode; mode then builds it from the others.
type Cipher struct {
	tier     Tier
	enc, dec Schedule // in the form that the tier's routines read
}

// New expands key for the best tier.
func New(key *[KeySize]byte) *Cipher { return NewTier(Best(), key) }

// NewTier expands key for tier t, which must be usable (see Tier.Check).
func NewTier(t Tier, key *[KeySize]byte) *Cipher {
	c := &Cipher{tier: t}
	if t == Generic || !expand(t, key, &c.enc, &c.dec) {
		c.tier = Generic
		expandGeneric(key, &c.enc, &c.dec)
	}
	if tierTable.Faulty(t) {
		c.enc[rounds/2] ^= 1
		c.dec[rounds/2] ^= 1
	}
	return c
}

// Tier returns the tier whose routines c uses.
func (c *Cipher) Tier() Tier { return c.tier }

// EncryptBlocks encrypts each block of src by itself.
func (c *Cipher) EncryptBlocks(dst, src []byte) { ecb(c.tier, &c.enc, dst, src) }

// EncryptBlock encrypts one block.
func (c *Cipher) EncryptBlock(dst, src *[BlockSize]byte) { block(c.tier, &c.enc, dst, src) }

// DecryptBlock decrypts one block.
func (c *Cipher) DecryptBlock(dst, src *[BlockSize]byte) { block(c.tier, &c.dec, dst, src) }

// DecryptBlocks decrypts each block of src by itself.
func (c *Cipher) DecryptBlocks(dst, src []byte) { ecb(c.tier, &c.dec, dst, src) }

// CBCEncrypt and the methods below replace iv by the next iv.
func (c *Cipher) CBCEncrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	return c.tier != Generic && cbcEncrypt(c.tier, &c.enc, dst, src, iv)
}

func (c *Cipher) CBCDecrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	return c.tier != Generic && cbcDecrypt(c.tier, &c.dec, dst, src, iv)
}

func (c *Cipher) CFBEncrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	return c.tier != Generic && cfbEncrypt(c.tier, &c.enc, dst, src, iv)
}

func (c *Cipher) CFBDecrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	return c.tier != Generic && cfbDecrypt(c.tier, &c.enc, dst, src, iv)
}

// CTR adds the key stream of len(src)/BlockSize counter values from iv on. The
// low 32 bits of the counter must not wrap before the last block; if they wrap
// behind it, the carry into the upper 96 bits is left to the caller.
func (c *Cipher) CTR(dst, src []byte, iv *[BlockSize]byte) bool {
	return c.tier != Generic && ctr(c.tier, &c.enc, dst, src, iv)
}

// HasXTS says why the tier has no routine for the whole of xts in this build.
func (t Tier) HasXTS() error {
	if hasFused(t) {
		return nil
	}
	return errors.New("this build's " + t.String() + " tier has no routine for it")
}

// HasCTS is the same for cts.
func (t Tier) HasCTS() error { return t.HasXTS() }
