package mode

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"

	"ucrypt/internal/alias"
	"ucrypt/internal/ghash"
)

// ErrAuthentication is the error of Open for a ciphertext, nonce or associated
// data that do not belong together.
var ErrAuthentication = errors.New("ucrypt: message authentication failed")

const (
	// shortMessage bounds the messages that are worked in a copy, whole, with the
	// first counter block before and the block of the lengths behind; those of up
	// to shorterMessage in a smaller one. Both are a multiple of every stride, less
	// that block.
	shortMessage   = 31 * 16
	shorterMessage = 7 * 16

	// gcmChunk is how many bytes are encrypted before they are hashed: the hash
	// then finds them in the nearest cache.
	gcmChunk = 8 << 10

	// maxGCM is the largest message in bytes: 2^32 - 2 blocks.
	maxGCM = (1<<32 - 2) * 16
)

// GCM is the AEAD of NIST SP 800-38D. It is not changed by use.
type GCM struct {
	c         Cipher
	key       ghash.Key
	nonceSize int
	tagSize   int
	name      string
}

// CheckGCM says why there is no GCM with these sizes in bytes; name begins the
// text.
func CheckGCM(name string, blockSize, nonceSize, tagSize int) error {
	switch {
	case blockSize != 16:
		return errors.New(name + ": GCM of a cipher with blocks of " + strconv.Itoa(blockSize) + " bytes, want 16")
	case nonceSize < 1:
		return errors.New(name + ": GCM nonce of " + strconv.Itoa(nonceSize) + " bytes, want at least 1")
	case !GCMTagSize(tagSize):
		return errors.New(name + ": GCM tag of " + strconv.Itoa(tagSize) + " bytes, want 4, 8 or 12 to 16")
	}
	return nil
}

// GCMTagSize reports whether GCM has tags of n bytes (NIST SP 800-38D section
// 5.2.1.2).
func GCMTagSize(n int) bool { return n == 4 || n == 8 || n >= 12 && n <= 16 }

// NewGCM returns the GCM of c with the fastest GHASH. name begins the texts of
// its panics and of the error.
func NewGCM(name string, c Cipher, nonceSize, tagSize int) (*GCM, error) {
	return NewGCMTier(name, c, ghash.Best(), nonceSize, tagSize)
}

// NewGCMTier is NewGCM with the GHASH of a tier, which must be usable.
func NewGCMTier(name string, c Cipher, t ghash.Tier, nonceSize, tagSize int) (*GCM, error) {
	if err := CheckGCM(name, c.BlockSize(), nonceSize, tagSize); err != nil {
		return nil, err
	}
	g := &GCM{c: c, nonceSize: nonceSize, tagSize: tagSize, name: name}
	var h [16]byte
	g.c.encryptBlocks(h[:], h[:])
	g.key.Init(t, &h)
	return g, nil
}

// NonceSize returns the size of a nonce in bytes.
func (g *GCM) NonceSize() int { return g.nonceSize }

// Overhead returns the size of a tag in bytes.
func (g *GCM) Overhead() int { return g.tagSize }

// Seal is cipher.AEAD's. It panics, before anything is written, if nonce has
// another size than NonceSize, if plaintext is longer than GCM allows, or if the
// part of dst's memory that it would write overlaps plaintext inexactly or
// additionalData at all.
func (g *GCM) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(g.name, len(nonce), g.nonceSize)
	if uint64(len(plaintext)) > maxGCM {
		panic(g.name + ": message too large for GCM")
	}
	ret, out := extend(dst, len(plaintext)+g.tagSize)
	checkAEADBuffers(g.name, out, plaintext, additionalData)

	ctr := g.counter(nonce)
	out, end := out[:len(plaintext)], out[len(plaintext):]
	var tag [16]byte
	switch {
	case g.c.composed:
		g.sealParts(out, plaintext, additionalData, &ctr, &tag)
	case len(plaintext) <= shorterMessage:
		var b [16 + shorterMessage + 16]byte
		g.sealShort(b[:], out, plaintext, additionalData, &ctr, &tag)
	case len(plaintext) <= shortMessage:
		var b [16 + shortMessage + 16]byte
		g.sealShort(b[:], out, plaintext, additionalData, &ctr, &tag)
	default:
		g.sealLong(out, plaintext, additionalData, &ctr, &tag)
	}
	copy(end, tag[:g.tagSize])
	return ret
}

// Open is cipher.AEAD's, and panics for what Seal panics for. Nothing of the
// plaintext is written before the tag was found right; with the error
// ErrAuthentication the part of dst's memory that it would have been written to
// is zero.
func (g *GCM) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonce(g.name, len(nonce), g.nonceSize)
	n := len(ciphertext) - g.tagSize
	if n < 0 || uint64(n) > maxGCM {
		return nil, ErrAuthentication
	}
	ciphertext, end := ciphertext[:n], ciphertext[n:]
	ret, out := extend(dst, n)
	checkAEADBuffers(g.name, out, ciphertext, additionalData)
	if alias.AnyOverlap(out, end) { // the tag of a message in place lies behind it
		panic(g.name + ": invalid buffer overlap")
	}

	ctr := g.counter(nonce)
	var ok bool
	switch {
	case g.c.composed:
		ok = g.openParts(out, ciphertext, end, additionalData, &ctr)
	case n <= shorterMessage:
		var b [16 + shorterMessage + 16]byte
		ok = g.openShort(b[:], out, ciphertext, end, additionalData, &ctr)
	case n <= shortMessage:
		var b [16 + shortMessage + 16]byte
		ok = g.openShort(b[:], out, ciphertext, end, additionalData, &ctr)
	default:
		ok = g.openLong(out, ciphertext, end, additionalData, &ctr)
	}
	if !ok {
		clear(out)
		return nil, ErrAuthentication
	}
	return ret, nil
}

func checkNonce(name string, got, want int) {
	if got != want {
		panic(name + ": nonce of " + strconv.Itoa(got) + " bytes, want " + strconv.Itoa(want))
	}
}

func checkAEADBuffers(name string, out, in, additionalData []byte) {
	if alias.InexactOverlap(out, in) || alias.AnyOverlap(out, additionalData) {
		panic(name + ": invalid buffer overlap")
	}
}

// extend returns dst with n more bytes behind it, and those by themselves. They
// lie in dst's memory if it has the room.
func extend(dst []byte, n int) (whole, added []byte) {
	whole = slices.Grow(dst, n)[:len(dst)+n]
	return whole, whole[len(dst):]
}

// counter returns the first counter block, J0.
func (g *GCM) counter(nonce []byte) (ctr [16]byte) {
	if len(nonce) == 12 {
		copy(ctr[:], nonce)
		ctr[15] = 1
		return ctr
	}
	g.absorb(&ctr, nonce)
	var lengths [16]byte
	binary.BigEndian.PutUint64(lengths[8:], 8*uint64(len(nonce)))
	g.key.Update(&ctr, lengths[:])
	return ctr
}

// absorb hashes p, filled up with zeros to whole blocks.
func (g *GCM) absorb(acc *[16]byte, p []byte) {
	if len(p) == 0 {
		return
	}
	whole := len(p) - len(p)%16
	g.key.Update(acc, p[:whole])
	if whole < len(p) {
		var last [16]byte
		copy(last[:], p[whole:])
		g.key.Update(acc, last[:])
	}
}

func putLengths(block []byte, additionalData, text int) {
	binary.BigEndian.PutUint64(block, 8*uint64(additionalData))
	binary.BigEndian.PutUint64(block[8:], 8*uint64(text))
}

// In the copy of a short message the first block is the first counter block's, or
// the last of the associated data; the message follows, and behind it the block of
// the lengths.

// hash hashes everything, the n bytes of ciphertext in b included, which are
// followed by zeros.
func (g *GCM) hash(b []byte, acc *[16]byte, additionalData []byte, n int) {
	padded := 16 + (n+15)&^15
	first := 16
	if a := len(additionalData); a > 0 {
		last := (a - 1) &^ 15
		g.key.Update(acc, additionalData[:last])
		clear(b[:16])
		copy(b[:16], additionalData[last:])
		first = 0
	}
	putLengths(b[padded:padded+16], len(additionalData), n)
	g.key.Update(acc, b[first:padded+16])
}

// sealShort needs one call of the cipher, and one of the hash unless there is
// much associated data.
func (g *GCM) sealShort(b, out, plaintext, additionalData []byte, ctr, tag *[16]byte) {
	n := len(plaintext)
	padded := 16 + (n+15)&^15
	copy(b[16:], plaintext)
	g.c.ctr32(b[:padded], b[:padded], ctr)
	mask := [16]byte(b[:16])
	copy(out, b[16:16+n])
	clear(b[16+n : padded])
	g.hash(b, tag, additionalData, n)
	subtle.XORBytes(tag[:], tag[:], mask[:])
}

func (g *GCM) openShort(b, out, ciphertext, end, additionalData []byte, ctr *[16]byte) bool {
	var tag [16]byte
	n := len(ciphertext)
	padded := 16 + (n+15)&^15
	copy(b[16:], ciphertext)
	g.hash(b, &tag, additionalData, n)
	clear(b[:16])
	g.c.ctr32(b[:padded], b[:padded], ctr)
	subtle.XORBytes(tag[:], tag[:], b[:16])
	if subtle.ConstantTimeCompare(tag[:len(end)], end) != 1 {
		clear(b)
		return false
	}
	copy(out, b[16:16+n])
	return true
}

// A gcmTail is the key stream of the end of a long message, of less than a batch,
// and behind it the block that hides the tag: they go through the cipher
// together, since a block by itself would take as long as a batch.
type gcmTail [tailBatch + 16]byte

// tail makes the key stream of the n bytes behind the first body ones.
func (g *GCM) tail(t *gcmTail, ctr *[16]byte, body, n int) (mask *[16]byte) {
	first := binary.BigEndian.Uint32(ctr[12:])
	upper, middle := binary.NativeEndian.Uint64(ctr[:]), uint64(binary.BigEndian.Uint32(ctr[8:]))<<32
	counter := first + uint32(body/16)
	n = (n + 15) &^ 15
	for b := t[:n]; len(b) >= 16; b = b[16:] {
		counter++
		binary.NativeEndian.PutUint64(b[:8], upper)
		binary.BigEndian.PutUint64(b[8:16], middle|uint64(counter))
	}
	copy(t[n:], ctr[:])
	g.c.encryptBlocks(t[:n+16], t[:n+16])
	binary.BigEndian.PutUint32(ctr[12:], first+1)
	return (*[16]byte)(t[n:])
}

// pastFirst returns the first counter block and makes ctr the one after it.
func (g *GCM) pastFirst(ctr *[16]byte) (first [16]byte) {
	first = *ctr
	binary.BigEndian.PutUint32(ctr[12:], binary.BigEndian.Uint32(ctr[12:])+1)
	return first
}

// maskAndHash encrypts the first counter block, which then hides the tag, and
// absorbs the associated data and whole blocks of ciphertext, at least one: the
// first ones of a message of text bytes. If they are all of it, it absorbs the
// lengths too. A block by itself is all latency, so that some of the hashing can
// be done meanwhile.
func (g *GCM) maskAndHash(mask, acc *[16]byte, additionalData, p []byte, text int) {
	// The last block of associated data is left for EncryptAndHash to multiply.
	if a := len(additionalData); a > 0 {
		last := (a - 1) &^ 15
		g.key.Update(acc, additionalData[:last])
		var b [16]byte
		copy(b[:], additionalData[last:])
		subtle.XORBytes(acc[:], acc[:], b[:])
	}
	var lengths [16]byte
	last := &lengths
	if len(p) < text {
		last = nil
	} else {
		putLengths(lengths[:], len(additionalData), text)
	}
	n := 0
	if c := g.c.fused(); c != nil {
		powers, vector := g.key.Powers()
		n = c.EncryptAndHash(mask, powers, vector, acc, p, last)
	}
	if n == 0 {
		g.c.encryptBlocks(mask[:], mask[:])
		if len(additionalData) > 0 {
			b := *acc
			*acc = [16]byte{}
			g.key.Update(acc, b[:])
		}
	} else if n == len(p) {
		return
	}
	g.key.Update(acc, p[n:])
	if last != nil {
		g.key.Update(acc, last[:])
	}
}

func (g *GCM) hashLengths(acc *[16]byte, additionalData, text int) {
	var b [16]byte
	putLengths(b[:], additionalData, text)
	g.key.Update(acc, b[:])
}

// sealLong encrypts and hashes in chunks.
func (g *GCM) sealLong(out, plaintext, additionalData []byte, ctr, tag *[16]byte) {
	n := len(plaintext)
	if n%tailBatch == 0 {
		mask := g.pastFirst(ctr)
		k := min(n, gcmChunk)
		g.c.ctr32(out[:k], plaintext[:k], ctr)
		g.maskAndHash(&mask, tag, additionalData, out[:k], n)
		if k < n {
			g.sealWhole(out[k:], plaintext[k:], ctr, tag)
			g.hashLengths(tag, len(additionalData), n)
		}
		subtle.XORBytes(tag[:], tag[:], mask[:])
		return
	}
	body := n - n%tailBatch
	var t gcmTail
	mask := g.tail(&t, ctr, body, n-body)
	g.absorb(tag, additionalData)
	g.sealWhole(out[:body], plaintext[:body], ctr, tag)
	subtle.XORBytes(out[body:], plaintext[body:], t[:])
	g.last(tag, out[body:], len(additionalData), n)
	subtle.XORBytes(tag[:], tag[:], mask[:])
}

// sealWhole works on whole blocks.
func (g *GCM) sealWhole(out, plaintext []byte, ctr, tag *[16]byte) {
	for len(plaintext) > 0 {
		n := min(len(plaintext), gcmChunk)
		g.c.ctr32(out[:n], plaintext[:n], ctr)
		g.key.Update(tag, out[:n])
		out, plaintext = out[n:], plaintext[n:]
	}
}

// openLong hashes the whole ciphertext before it decrypts any of it.
func (g *GCM) openLong(out, ciphertext, end, additionalData []byte, ctr *[16]byte) bool {
	n := len(ciphertext)
	var tag [16]byte
	if n%tailBatch == 0 {
		mask := g.pastFirst(ctr)
		g.maskAndHash(&mask, &tag, additionalData, ciphertext, n)
		subtle.XORBytes(tag[:], tag[:], mask[:])
		if subtle.ConstantTimeCompare(tag[:len(end)], end) != 1 {
			return false
		}
		g.c.ctr32(out, ciphertext, ctr)
		return true
	}
	body := n - n%tailBatch
	var t gcmTail
	mask := g.tail(&t, ctr, body, n-body)
	g.absorb(&tag, additionalData)
	g.last(&tag, ciphertext, len(additionalData), n)
	subtle.XORBytes(tag[:], tag[:], mask[:])
	if subtle.ConstantTimeCompare(tag[:len(end)], end) != 1 {
		return false
	}
	g.c.ctr32(out[:body], ciphertext[:body], ctr)
	subtle.XORBytes(out[body:], ciphertext[body:], t[:])
	return true
}

// last hashes what is left of the ciphertext, and the lengths.
func (g *GCM) last(acc *[16]byte, p []byte, additionalData, text int) {
	whole := len(p) - len(p)%16
	g.key.Update(acc, p[:whole])
	var b [32]byte
	first := 16
	if copy(b[:], p[whole:]) > 0 {
		first = 0
	}
	putLengths(b[16:], additionalData, text)
	g.key.Update(acc, b[first:])
}

// ctr is ctr32 of any length. It ends the message: what follows would have a
// counter of its own.
func (g *GCM) ctr(dst, src []byte, ctr *[16]byte) {
	body, n := lastBatch(len(src), 16)
	g.c.ctr32(dst[:body], src[:body], ctr)
	if n > 0 {
		var buf [tailBatch]byte
		copy(buf[:], src[body:])
		g.c.ctr32(buf[:n], buf[:n], ctr)
		copy(dst[body:len(src)], buf[:])
	}
}

// sealParts is GCM of its parts, ctr and ghash, each of which does its whole
// work by itself.
func (g *GCM) sealParts(out, plaintext, additionalData []byte, ctr, tag *[16]byte) {
	var mask [16]byte
	g.c.ctr32(mask[:], mask[:], ctr)
	g.ctr(out, plaintext, ctr)
	g.absorb(tag, additionalData)
	g.last(tag, out, len(additionalData), len(out))
	subtle.XORBytes(tag[:], tag[:], mask[:])
}

func (g *GCM) openParts(out, ciphertext, end, additionalData []byte, ctr *[16]byte) bool {
	var mask, tag [16]byte
	g.c.ctr32(mask[:], mask[:], ctr)
	g.absorb(&tag, additionalData)
	g.last(&tag, ciphertext, len(additionalData), len(ciphertext))
	subtle.XORBytes(tag[:], tag[:], mask[:])
	if subtle.ConstantTimeCompare(tag[:len(end)], end) != 1 {
		return false
	}
	g.ctr(out, ciphertext, ctr)
	return true
}

var _ cipher.AEAD = (*GCM)(nil)
