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

	var mac cbcMAC
	if len(plaintext) <= ccmShort && !m.c.composed {
		var stream [ccmShort]byte
		mask := m.short(&mac, &stream, nonce, additionalData, len(plaintext))
		mac.write(&m.mac, plaintext)
		subtle.XORBytes(out, plaintext, stream[:])
		tag := mac.sum(&m.mac)
		subtle.XORBytes(tag[:], tag[:], mask[:])
		copy(end, tag[:m.tagSize])
		return ret
	}
	key := m.keyStream(nonce)
	m.begin(&mac, nonce, additionalData, len(plaintext))
	for first := true; first || len(plaintext) > 0; first = false {
		n := min(len(plaintext), ccmChunk)
		mac.write(&m.mac, plaintext[:n]) // before it may be written over
		key.crypt(&m.c, out[:n], plaintext[:n])
		out, plaintext = out[n:], plaintext[n:]
	}
	tag := mac.sum(&m.mac)
	subtle.XORBytes(tag[:], tag[:], key.mask[:])
	copy(end, tag[:m.tagSize])
	return ret
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

	// The MAC is that of the plaintext, so a first pass decrypts for the MAC only.
	// Next to the MAC that takes little time.
	var mac cbcMAC
	if n <= ccmShort && !m.c.composed {
		var stream [ccmShort]byte
		mask := m.short(&mac, &stream, nonce, additionalData, n)
		plaintext := stream[:n]
		subtle.XORBytes(plaintext, ciphertext, plaintext)
		mac.write(&m.mac, plaintext)
		tag := mac.sum(&m.mac)
		subtle.XORBytes(tag[:], tag[:], mask[:])
		if subtle.ConstantTimeCompare(tag[:len(end)], end) != 1 {
			clear(plaintext)
			clear(out)
			return nil, ErrAuthentication
		}
		copy(out, plaintext)
		return ret, nil
	}
	var plaintext [ccmChunk]byte
	key := m.keyStream(nonce)
	m.begin(&mac, nonce, additionalData, n)
	for first, rest := true, ciphertext; first || len(rest) > 0; first = false {
		k := min(len(rest), ccmChunk)
		key.crypt(&m.c, plaintext[:k], rest[:k])
		mac.write(&m.mac, plaintext[:k])
		rest = rest[k:]
	}
	tag := mac.sum(&m.mac)
	subtle.XORBytes(tag[:], tag[:], key.mask[:])
	if subtle.ConstantTimeCompare(tag[:len(end)], end) != 1 {
		clear(plaintext[:])
		clear(out)
		return nil, ErrAuthentication
	}
	if n <= ccmChunk {
		copy(out, plaintext[:n])
		return ret, nil
	}
	increment(key.begin[:]) // behind the block of the mask
	CTR(&m.c, out, ciphertext, key.begin[:])
	return ret, nil
}

// ccmChunk is how many bytes go through both modes at a time.
const ccmChunk = 512 - 16

// ccmKey is the counter mode of one message.
type ccmKey struct {
	begin, ctr [16]byte
	mask       [16]byte // the first block of the key stream, which hides the tag
	started    bool
}

func (m *CCM) keyStream(nonce []byte) (k ccmKey) {
	k.begin[0] = byte(14 - m.nonceSize)
	copy(k.begin[1:], nonce)
	k.ctr = k.begin
	return k
}

// crypt goes on with the message, by at most ccmChunk bytes. The first call
// makes the mask too, in the same call of the cipher. All calls but the last are
// of whole blocks.
func (k *ccmKey) crypt(c *Cipher, dst, src []byte) {
	if k.started {
		CTR(c, dst, src, k.ctr[:])
		return
	}
	k.started = true
	if c.composed {
		c.ctrBlocks(k.mask[:], k.mask[:], k.ctr[:])
		CTR(c, dst, src, k.ctr[:])
		return
	}
	var b [16 + ccmChunk]byte
	n := 16 + copy(b[16:], src)
	padded := (n + 15) &^ 15
	c.ctrBlocks(b[:padded], b[:padded], k.ctr[:])
	k.mask = [16]byte(b[:])
	copy(dst, b[16:n])
}

// ccmShort is the size of a message all whose counter blocks go through the
// cipher together with the first block of the MAC, which waits for nothing.
const ccmShort = 6 * 16

// short starts the MAC, with the associated data, and makes the mask of the tag
// and the key stream of a message of n bytes.
func (m *CCM) short(mac *cbcMAC, stream *[ccmShort]byte, nonce, additionalData []byte, n int) (mask [16]byte) {
	var b [32 + ccmShort]byte
	m.first((*[16]byte)(b[:]), nonce, len(additionalData), n)
	blocks := 2 + (n+15)/16
	for i := range blocks - 1 {
		counter := b[16*i+16 : 16*i+32]
		counter[0] = byte(14 - m.nonceSize)
		copy(counter[1:], nonce)
		counter[15] = byte(i)
	}
	m.c.encryptBlocks(b[:16*blocks], b[:16*blocks])
	mac.acc = [16]byte(b[:])
	m.associated(mac, additionalData)
	copy(stream[:], b[32:])
	return [16]byte(b[16:])
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
