package mode

import (
	"crypto/subtle"
	"encoding/binary"
	"math"
)

// Message is the work of an AEAD on one message that comes in parts, for those that
// are too long for memory. It lets plaintext out before the tag was checked, so it
// is only for callers who hold that back; cipher.AEAD is for all others.
//
// All parts but the last are of whole blocks. A message is encrypted or decrypted,
// not both, and ends with Tag or Check. Misuse panics.
type Message interface {
	// Encrypt and Decrypt work on the next part. dst may be src exactly.
	Encrypt(dst, src []byte)
	Decrypt(dst, src []byte)

	// Tag returns the tag of what was worked on.
	Tag() []byte

	// Check returns ErrAuthentication unless tag is that of what was worked on. The
	// comparison is constant-time.
	Check(tag []byte) error
}

// parts counts what a message had so far.
type parts struct {
	name   string
	length uint64
	limit  uint64 // of length
}

// add counts a part, which has not been worked on yet.
func (p *parts) add(dst, src []byte) {
	checkBuffers(p.name, dst, src)
	switch {
	case len(src) > 0 && p.length%16 != 0:
		panic(p.name + ": a part of a message behind one that was not of whole blocks")
	case uint64(len(src)) > p.limit-p.length:
		panic(p.name + ": the parts of a message are longer than it can be")
	}
	p.length += uint64(len(src))
}

func checkTag(got, want []byte) error {
	if subtle.ConstantTimeCompare(got, want) != 1 {
		return ErrAuthentication
	}
	return nil
}

// gcmMessage is GCM's.
type gcmMessage struct {
	parts
	g              *GCM
	ctr, acc, mask [16]byte
	additionalData int
}

// MaxLength returns the length of the longest message in bytes.
func (g *GCM) MaxLength() int64 { return maxGCM }

// Begin returns the message with this nonce and associated data. length is that of
// its text, of which GCM wants to know nothing before the end: -1 will do.
func (g *GCM) Begin(nonce, additionalData []byte, length int64) Message {
	checkNonce(g.name, len(nonce), g.nonceSize)
	if length > maxGCM {
		panic(g.name + ": message too large for GCM")
	}
	m := &gcmMessage{parts: parts{name: g.name, limit: maxGCM}, g: g, ctr: g.counter(nonce), additionalData: len(additionalData)}
	g.c.ctr32(m.mask[:], m.mask[:], &m.ctr)
	g.absorb(&m.acc, additionalData)
	return m
}

func (m *gcmMessage) Encrypt(dst, src []byte) {
	m.add(dst, src)
	for len(src) > 0 {
		n := min(len(src), gcmChunk)
		m.g.ctr(dst[:n], src[:n], &m.ctr)
		m.g.absorb(&m.acc, dst[:n])
		dst, src = dst[n:], src[n:]
	}
}

func (m *gcmMessage) Decrypt(dst, src []byte) {
	m.add(dst, src)
	for len(src) > 0 {
		n := min(len(src), gcmChunk)
		m.g.absorb(&m.acc, src[:n])
		m.g.ctr(dst[:n], src[:n], &m.ctr)
		dst, src = dst[n:], src[n:]
	}
}

func (m *gcmMessage) Tag() []byte {
	var lengths [16]byte
	binary.BigEndian.PutUint64(lengths[:], 8*uint64(m.additionalData))
	binary.BigEndian.PutUint64(lengths[8:], 8*m.length)
	tag := m.acc
	m.g.key.Update(&tag, lengths[:])
	subtle.XORBytes(tag[:], tag[:], m.mask[:])
	return tag[:m.g.tagSize]
}

func (m *gcmMessage) Check(tag []byte) error { return checkTag(m.Tag(), tag) }

// ccmMessage is CCM's.
type ccmMessage struct {
	parts
	m         *CCM
	mac       cbcMAC
	ctr, mask [16]byte
}

// MaxLength returns the length of the longest message in bytes, which depends on the
// size of the nonce.
func (m *CCM) MaxLength() int64 {
	bits := 8 * (15 - m.nonceSize)
	if bits >= 64 {
		return math.MaxInt64
	}
	return 1<<bits - 1
}

// Begin returns the message with this nonce and associated data. length is that of
// its text, which CCM authenticates first.
func (m *CCM) Begin(nonce, additionalData []byte, length int64) Message {
	checkNonce(m.name, len(nonce), m.nonceSize)
	if length < 0 || length > m.MaxLength() {
		panic(m.name + ": message too large for CCM")
	}
	c := &ccmMessage{parts: parts{name: m.name, limit: uint64(length)}, m: m}
	var first, size [16]byte
	m.first(&first, nonce, len(additionalData), 0)
	binary.BigEndian.PutUint64(size[8:], uint64(length))
	copy(first[1+m.nonceSize:], size[1+m.nonceSize:])
	c.mac.write(&m.mac, first[:])
	m.associated(&c.mac, additionalData)

	c.ctr[0] = byte(14 - m.nonceSize)
	copy(c.ctr[1:], nonce)
	m.c.ctrBlocks(c.mask[:], c.mask[:], c.ctr[:])
	return c
}

func (c *ccmMessage) Encrypt(dst, src []byte) {
	c.add(dst, src)
	for len(src) > 0 {
		n := min(len(src), cbcMACBuffer)
		c.mac.write(&c.m.mac, src[:n]) // before it may be written over
		CTR(&c.m.c, dst[:n], src[:n], c.ctr[:])
		dst, src = dst[n:], src[n:]
	}
}

func (c *ccmMessage) Decrypt(dst, src []byte) {
	c.add(dst, src)
	for len(src) > 0 {
		n := min(len(src), cbcMACBuffer)
		CTR(&c.m.c, dst[:n], src[:n], c.ctr[:])
		c.mac.write(&c.m.mac, dst[:n])
		dst, src = dst[n:], src[n:]
	}
}

func (c *ccmMessage) Tag() []byte {
	if c.length != c.limit {
		panic(c.name + ": the parts of a message are shorter than was said")
	}
	tag := c.mac.sum(&c.m.mac)
	subtle.XORBytes(tag[:], tag[:], c.mask[:])
	return tag[:c.m.tagSize]
}

func (c *ccmMessage) Check(tag []byte) error { return checkTag(c.Tag(), tag) }
