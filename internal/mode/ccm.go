package mode

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"strconv"

	"ucrypt/internal/alias"
)

// CCM is the AEAD of NIST SP 800-38C and RFC 3610. It is not changed by use.
type CCM struct {
	c         Cipher // of the counter mode
	mac       Cipher // of the CBC-MAC: the same key
	nonceSize int
	tagSize   int
	name      string
}

// CheckCCM says why there is no CCM with these sizes in bytes; name begins the
// text.
func CheckCCM(name string, blockSize, nonceSize, tagSize int) error {
	switch {
	case blockSize != 16:
		return errors.New(name + ": CCM of a cipher with blocks of " + strconv.Itoa(blockSize) + " bytes, want 16")
	case !CCMNonceSize(nonceSize):
		return errors.New(name + ": CCM nonce of " + strconv.Itoa(nonceSize) + " bytes, want 7 to 13")
	case !CCMTagSize(tagSize):
		return errors.New(name + ": CCM tag of " + strconv.Itoa(tagSize) + " bytes, want 4, 6, 8, 10, 12, 14 or 16")
	}
	return nil
}

// CCMNonceSize reports whether CCM has nonces of n bytes.
func CCMNonceSize(n int) bool { return n >= 7 && n <= 13 }

// CCMTagSize reports whether CCM has tags of n bytes.
func CCMTagSize(n int) bool { return n >= 4 && n <= 16 && n%2 == 0 }

// NewCCM returns the CCM of c. name begins the texts of its panics and of the
// error.
func NewCCM(name string, c Cipher, nonceSize, tagSize int) (*CCM, error) {
	return NewCCMParts(name, c, c, nonceSize, tagSize)
}

// NewCCMParts is NewCCM with a cipher of its own, which has the same key, for
// the CBC-MAC.
func NewCCMParts(name string, c, mac Cipher, nonceSize, tagSize int) (*CCM, error) {
	if err := CheckCCM(name, c.BlockSize(), nonceSize, tagSize); err != nil {
		return nil, err
	}
	return &CCM{c, mac, nonceSize, tagSize, name}, nil
}

// NonceSize returns the size of a nonce in bytes.
func (m *CCM) NonceSize() int { return m.nonceSize }

// Overhead returns the size of a tag in bytes.
func (m *CCM) Overhead() int { return m.tagSize }

// fits reports whether the length of a text of n bytes can be written in the
// bytes that the nonce leaves for it.
func (m *CCM) fits(n int) bool {
	bits := 8 * (15 - m.nonceSize)
	return bits >= 64 || uint64(n)>>bits == 0
}

// Seal is cipher.AEAD's. It panics, before anything is written, if nonce has
// another size than NonceSize, if plaintext is too long for the field of its
// length (of 64 KiB for a nonce of 13 bytes, of 16 MiB for one of 12), or if the
// part of dst's memory that it would write overlaps plaintext inexactly or
// additionalData at all.
func (m *CCM) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(m.name, len(nonce), m.nonceSize)
	if !m.fits(len(plaintext)) {
		panic(m.name + ": message too large for CCM")
	}
	ret, out := extend(dst, len(plaintext)+m.tagSize)
	checkAEADBuffers(m.name, out, plaintext, additionalData)
	out, end := out[:len(plaintext)], out[len(plaintext):]

	var tag [16]byte
	if m.c.composed {
		tag = m.sealParts(out, nonce, plaintext, additionalData)
	} else {
		tag = m.sealFused(out, nonce, plaintext, additionalData)
	}
	copy(end, tag[:m.tagSize])
	return ret
}

// sealParts is CCM of its parts, ctr and the CBC-MAC, each of which does its own
// work by itself.
func (m *CCM) sealParts(out, nonce, plaintext, additionalData []byte) [16]byte {
	var mac cbcMAC
	key := m.keyStream(nonce)
	m.begin(&mac, nonce, additionalData, len(plaintext))
	for len(plaintext) > 0 {
		n := min(len(plaintext), ccmChunk)
		mac.write(&m.mac, plaintext[:n]) // before it may be written over
		CTR(&m.c, out[:n], plaintext[:n], key.ctr[:])
		out, plaintext = out[n:], plaintext[n:]
	}
	tag := mac.sum(&m.mac)
	subtle.XORBytes(tag[:], tag[:], key.mask[:])
	return tag
}

// Open is cipher.AEAD's, and panics for what Seal panics for, but for a length
// that does not fit, which is an error. Nothing of the plaintext is written
// before the tag was found right; with the error ErrAuthentication the part of
// dst's memory that it would have been written to is zero.
func (m *CCM) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonce(m.name, len(nonce), m.nonceSize)
	n := len(ciphertext) - m.tagSize
	if n < 0 || !m.fits(n) {
		return nil, ErrAuthentication
	}
	ciphertext, end := ciphertext[:n], ciphertext[n:]
	ret, out := extend(dst, n)
	checkAEADBuffers(m.name, out, ciphertext, additionalData)
	if alias.AnyOverlap(out, end) { // the tag of a message in place lies behind it
		panic(m.name + ": invalid buffer overlap")
	}

	ok := false
	if m.c.composed {
		ok = m.openParts(out, nonce, ciphertext, end, additionalData)
	} else {
		ok = m.openFused(out, nonce, ciphertext, end, additionalData)
	}
	if !ok {
		clear(out)
		return nil, ErrAuthentication
	}
	return ret, nil
}

func (m *CCM) openParts(out, nonce, ciphertext, end, additionalData []byte) bool {
	var mac cbcMAC
	var plaintext [ccmChunk]byte
	n := len(ciphertext)
	key := m.keyStream(nonce)
	begin := key.ctr
	m.begin(&mac, nonce, additionalData, n)
	for rest := ciphertext; len(rest) > 0; {
		k := min(len(rest), ccmChunk)
		CTR(&m.c, plaintext[:k], rest[:k], key.ctr[:])
		mac.write(&m.mac, plaintext[:k])
		rest = rest[k:]
	}
	tag := mac.sum(&m.mac)
	subtle.XORBytes(tag[:], tag[:], key.mask[:])
	if subtle.ConstantTimeCompare(tag[:len(end)], end) != 1 {
		clear(plaintext[:])
		return false
	}
	if n <= ccmChunk {
		copy(out, plaintext[:n])
		return true
	}
	CTR(&m.c, out, ciphertext, begin[:])
	return true
}

// ccmChunk is how many bytes go through both parts at a time.
const ccmChunk = 512 - 16

// ccmKey is the counter mode of one message.
type ccmKey struct {
	ctr  [16]byte // the next counter block
	mask [16]byte // the first block of the key stream, which hides the tag
}

func (m *CCM) keyStream(nonce []byte) (k ccmKey) {
	k.ctr[0] = byte(14 - m.nonceSize)
	copy(k.ctr[1:], nonce)
	m.c.ctrBlocks(k.mask[:], k.mask[:], k.ctr[:])
	return k
}

// first makes the first block of the MAC.
func (m *CCM) first(b *[16]byte, nonce []byte, additionalData, text int) {
	binary.BigEndian.PutUint64(b[8:], uint64(text))
	copy(b[1:], nonce) // over the zeros of the length's upper bytes
	b[0] = byte((m.tagSize-2)/2<<3 + 14 - m.nonceSize)
	if additionalData > 0 {
		b[0] |= 1 << 6
	}
}

// begin starts the MAC with the first block and the associated data.
func (m *CCM) begin(mac *cbcMAC, nonce, additionalData []byte, text int) {
	var b [16]byte
	m.first(&b, nonce, len(additionalData), text)
	mac.write(&m.mac, b[:])
	m.associated(mac, additionalData)
}

// associated goes on with the associated data.
func (m *CCM) associated(mac *cbcMAC, additionalData []byte) {
	if len(additionalData) == 0 {
		return
	}
	var b [10]byte
	mac.write(&m.mac, b[:associatedLength(&b, uint64(len(additionalData)))])
	mac.write(&m.mac, additionalData)
	mac.pad()
}

// associatedLength codes the length of associated data (NIST SP 800-38C section
// A.2.2), and returns how many bytes of b that takes.
func associatedLength(b *[10]byte, n uint64) int {
	switch {
	case n < 0xff00:
		binary.BigEndian.PutUint16(b[:], uint16(n))
		return 2
	case n < 1<<32:
		b[0], b[1] = 0xff, 0xfe
		binary.BigEndian.PutUint32(b[2:], uint32(n))
		return 6
	}
	b[0], b[1] = 0xff, 0xff
	binary.BigEndian.PutUint64(b[2:], n)
	return 10
}

var _ cipher.AEAD = (*CCM)(nil)
