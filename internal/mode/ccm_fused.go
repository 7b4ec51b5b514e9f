package mode

import (
	"crypto/subtle"
	"encoding/binary"

	"ucrypt/internal/sm4"
)

// CCM of one cipher that does both modes. A single block is all latency, as the
// whole of the MAC is, so the blocks that wait for nothing go through the cipher
// together: the first one of the MAC, the one that makes the tag's mask and, of a
// short message, all counter blocks.

const (
	// ccmHeader is the room for the first block of the MAC with the associated
	// data, or with its beginning, in whole blocks.
	ccmHeader = 4 * 16

	// ccmShort bounds the messages that are worked in a copy.
	ccmShort = 8 * 16

	// ccmPass is how many bytes are decrypted before they are hashed: the hash then
	// finds them in the nearest cache.
	ccmPass = 2 << 10
)

// ccmState is one message on its way.
type ccmState struct {
	c    *Cipher
	mac  [16]byte
	ctr  [16]byte // the next counter block
	mask [16]byte // hides the tag
}

// state begins a message, with the first counter block.
func (m *CCM) state(nonce []byte) (s ccmState) {
	s.c = &m.c
	s.ctr[0] = byte(14 - m.nonceSize)
	copy(s.ctr[1:], nonce)
	return s
}

// header makes the first block of the MAC and as much of the associated data
// behind it as there is room for. It returns the size, in whole blocks, and the
// associated data that is left.
func (m *CCM) header(b *[ccmHeader]byte, nonce, additionalData []byte, text int) (n int, rest []byte) {
	m.first((*[16]byte)(b[:]), nonce, len(additionalData), text)
	if len(additionalData) == 0 {
		return 16, nil
	}
	n = 16 + associatedLength((*[10]byte)(b[16:]), uint64(len(additionalData)))
	k := copy(b[n:], additionalData)
	return (n + k + 15) &^ 15, additionalData[k:]
}

// ccmStream has the first block of the MAC, the mask and the key stream of a short
// message.
type ccmStream [32 + ccmShort]byte

// start encrypts the first blocks: that of the MAC, which first begins with, and
// of the counter mode those of the mask and of text bytes. The key stream is left
// in b, behind the first 32 bytes.
func (s *ccmState) start(b []byte, first *[ccmHeader]byte, text int) {
	copy(b[:16], first[:])
	n := 32 + (text+15)&^15
	upper, low := binary.NativeEndian.Uint64(s.ctr[:]), binary.BigEndian.Uint64(s.ctr[8:])
	for i := 16; i < n; i += 16 {
		binary.NativeEndian.PutUint64(b[i:], upper)
		binary.BigEndian.PutUint64(b[i+8:], low)
		low++ // of counters that begin at 0: they stay in their field
	}
	binary.BigEndian.PutUint64(s.ctr[8:], low)
	s.c.encryptBlocks(b[:n], b[:n])
	s.mac, s.mask = [16]byte(b), [16]byte(b[16:])
}

// finish chains p, filled up with zeros to whole blocks.
func (s *ccmState) finish(p []byte) {
	whole := len(p) &^ 15
	if whole > 0 {
		s.c.chain(s.mac[:], p[:whole])
	}
	if whole < len(p) {
		var b [16]byte
		copy(b[:], p[whole:])
		s.c.cbcMAC(s.mac[:], b[:])
	}
}

// tag returns the MAC under its mask.
func (s *ccmState) tag() (tag [16]byte) {
	subtle.XORBytes(tag[:], s.mac[:], s.mask[:])
	return tag
}

// sealFused encrypts plaintext and returns the tag.
func (m *CCM) sealFused(out, nonce, plaintext, additionalData []byte) [16]byte {
	s := m.state(nonce)
	c := s.both(len(plaintext))
	begun := false
	if c != nil || len(plaintext) <= ccmShort {
		var b [ccmHeader + ccmShort]byte
		n, rest := m.header((*[ccmHeader]byte)(b[:]), nonce, additionalData, len(plaintext))
		if begun = len(rest) == 0; begun {
			head := plaintext
			if len(head) > ccmShort {
				head = head[:ccmShort-n] // which makes eight blocks of the MAC
			}
			s.sealShort(c, out[:len(head)], head, &b, n)
			out, plaintext = out[len(head):], plaintext[len(head):]
		}
	}
	if !begun {
		m.startLong(&s, nonce, additionalData, len(plaintext))
	}
	if c != nil {
		for len(plaintext) >= 16 {
			n := min(len(plaintext)&^15, serialCall)
			c.MACAndCTR(&s.mac, plaintext[:n], out[:n], plaintext[:n], &s.ctr)
			s.advance(n / 16)
			out, plaintext = out[n:], plaintext[n:]
		}
	}
	for len(plaintext) > 0 {
		n := min(len(plaintext), serialCall)
		s.finish(plaintext[:n]) // before it may be written over
		CTR(s.c, out[:n], plaintext[:n], s.ctr[:])
		out, plaintext = out[n:], plaintext[n:]
	}
	return s.tag()
}

// sealShort seals a text of up to 128 bytes, all of it or its beginning, with all
// that comes before it. b begins with n bytes that come before it in the MAC.
func (s *ccmState) sealShort(c *sm4.Cipher, out, plaintext []byte, b *[ccmHeader + ccmShort]byte, n int) {
	var stream ccmStream
	padded := (len(plaintext) + 15) &^ 15
	copy(b[n:], plaintext)
	if c == nil {
		s.start(stream[:], (*[ccmHeader]byte)(b[:]), len(plaintext))
		s.c.cbcMAC(s.mac[:], b[16:n+padded])
		subtle.XORBytes(out, plaintext, stream[32:])
		return
	}
	text := stream[16 : 32+padded] // the mask, and the text
	copy(text[16:], plaintext)
	c.MACAndCTR(&s.mac, b[:n+padded], text, text, &s.ctr)
	copy(out, text[16:])
	s.mask = [16]byte(text)
	s.advance(len(text) / 16)
}

// startLong does all that comes before the text.
func (m *CCM) startLong(s *ccmState, nonce, additionalData []byte, text int) {
	var b [ccmHeader]byte
	n, rest := m.header(&b, nonce, additionalData, text)
	var stream [32]byte
	s.start(stream[:], &b, 0)
	s.c.cbcMAC(s.mac[:], b[16:n])
	s.finish(rest)
}

// both returns the cipher if it does both modes of n bytes in one pass, and if the
// low 32 bits of the counters do not wrap.
func (s *ccmState) both(n int) *sm4.Cipher {
	if c := s.c.sm4; c != nil && c.HasMACAndCTR() && uint64(n) < 1<<36-32 {
		return c
	}
	return nil
}

// advance counts on by some blocks.
func (s *ccmState) advance(blocks int) {
	binary.BigEndian.PutUint32(s.ctr[12:], binary.BigEndian.Uint32(s.ctr[12:])+uint32(blocks))
}

// openFused reports whether the tag is end, and writes the plaintext to out if it
// is. The MAC is that of the plaintext, so a first pass decrypts for the MAC only.
// Next to the MAC that takes little time.
func (m *CCM) openFused(out, nonce, ciphertext, end, additionalData []byte) bool {
	s := m.state(nonce)
	right := func() bool {
		tag := s.tag()
		return subtle.ConstantTimeCompare(tag[:len(end)], end) == 1
	}
	if len(ciphertext) <= ccmShort {
		var b [ccmHeader + ccmShort]byte
		n, rest := m.header((*[ccmHeader]byte)(b[:]), nonce, additionalData, len(ciphertext))
		if len(rest) == 0 {
			var stream ccmStream
			s.start(stream[:], (*[ccmHeader]byte)(b[:]), len(ciphertext))
			plaintext := stream[32 : 32+len(ciphertext)]
			subtle.XORBytes(plaintext, plaintext, ciphertext)
			copy(b[n:], plaintext)
			s.c.cbcMAC(s.mac[:], b[16:n+(len(plaintext)+15)&^15])
			if !right() {
				clear(b[:])
				clear(plaintext)
				return false
			}
			copy(out, plaintext)
			return true
		}
	}
	m.startLong(&s, nonce, additionalData, len(ciphertext))
	begin := s.ctr
	var plaintext [ccmPass]byte
	for rest := ciphertext; len(rest) > 0; {
		n := min(len(rest), ccmPass)
		CTR(s.c, plaintext[:n], rest[:n], s.ctr[:])
		s.finish(plaintext[:n])
		rest = rest[n:]
	}
	if !right() {
		clear(plaintext[:])
		return false
	}
	if len(ciphertext) <= ccmPass {
		copy(out, plaintext[:])
		return true
	}
	CTR(s.c, out, ciphertext, begin[:])
	return true
}
