package aes

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"sync"
)

// BlockSize is the size of a block in bytes.
const BlockSize = 16

// parallelCall and SerialCall bound the bytes that one call of a routine works
// on. Assembly cannot be preempted, so a longer call would hold up the garbage
// collector; serial routines are several times slower.
const (
	parallelCall = 64 << 10
	SerialCall   = 16 << 10
)

// Schedule holds the round keys in slots of 16 bytes. They end at the last slot;
// a key of less than 256 bits leaves the first slots empty.
type Schedule = [15 * BlockSize]byte

// Cipher is an expanded key for one tier. It is not changed after New, so many
// goroutines may use it.
//
// In all methods len(dst) is at least len(src), and dst is src exactly or does
// not overlap it; package mode, the only caller, sees to it. A method that
// returns a bool reports false, with nothing done, if the tier has no routine
// for that mode; mode then builds it from the others.
type Cipher struct {
	enc, dec Schedule
	tier     Tier
	rounds   uint8
	std      cipher.Block // crypto/aes's; set for tier Go only
}

// New expands key, 16, 24 or 32 bytes, for the best tier.
func New(key []byte) *Cipher { return NewTier(Best(), key) }

// NewTier expands key for tier t, which must be usable (see Tier.Check).
func NewTier(t Tier, key []byte) *Cipher {
	c := &Cipher{tier: t, rounds: uint8(6 + len(key)/4)}
	broken := tierTable.Faulty(t)
	if t != Go && expand(t, key, int(c.rounds), &c.enc, &c.dec) {
		if broken {
			c.enc[len(c.enc)-1] ^= 1
			c.dec[len(c.dec)-1] ^= 1
		}
		return c
	}
	c.tier = Go
	if broken {
		key = append([]byte{key[0] ^ 1}, key[1:]...)
	}
	std, err := aes.NewCipher(key)
	if err != nil {
		panic("aes: " + err.Error())
	}
	c.std = std
	return c
}

// Tier returns the tier whose routines c uses.
func (c *Cipher) Tier() Tier { return c.tier }

// EncryptBlocks encrypts each block of src by itself: whole blocks, at most 64
// KiB.
func (c *Cipher) EncryptBlocks(dst, src []byte) {
	if c.tier == Go || !ecbEncrypt(c, dst, src) {
		c.stdBlocks(dst, src, false)
	}
}

// DecryptBlocks is the inverse of EncryptBlocks.
func (c *Cipher) DecryptBlocks(dst, src []byte) {
	if c.tier == Go || !ecbDecrypt(c, dst, src) {
		c.stdBlocks(dst, src, true)
	}
}

var copies = sync.Pool{New: func() any { return new([32 * BlockSize]byte) }}

// stdBlocks lets crypto/aes work on a copy of src: what is given to an interface
// moves to the heap, and it should be the copy that does.
func (c *Cipher) stdBlocks(dst, src []byte, decrypt bool) {
	buf := copies.Get().(*[32 * BlockSize]byte)
	defer func() {
		clear(buf[:])
		copies.Put(buf)
	}()
	for len(src) > 0 {
		n := copy(buf[:], src)
		for i := 0; i < n; i += BlockSize {
			if decrypt {
				c.std.Decrypt(buf[i:n], buf[i:n])
			} else {
				c.std.Encrypt(buf[i:n], buf[i:n])
			}
		}
		copy(dst, buf[:n])
		dst, src = dst[n:], src[n:]
	}
}

// CBCEncrypt encrypts whole blocks, at most 16 KiB, and replaces iv by the last
// ciphertext block.
func (c *Cipher) CBCEncrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	return c.tier != Go && cbcEncrypt(c, dst, src, iv)
}

// CBCDecrypt is the inverse of CBCEncrypt, of at most 64 KiB.
func (c *Cipher) CBCDecrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	return c.tier != Go && cbcDecrypt(c, dst, src, iv)
}

// CTSEncrypt encrypts any length from a block on in CBC with ciphertext stealing
// (CS3) and leaves iv as it is. A message that one call may not work on is plain
// CBC up to its end.
func (c *Cipher) CTSEncrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	return c.tier != Go && hasCTS && c.ctsEncrypt(dst, src, iv)
}

// CTSDecrypt is the inverse of CTSEncrypt.
func (c *Cipher) CTSDecrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	return c.tier != Go && hasCTS && c.ctsDecrypt(dst, src, iv)
}

func (c *Cipher) ctsEncrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	if len(src) <= BlockSize || len(src) > SerialCall+BlockSize {
		return c.ctsEncryptLong(dst, src, *iv)
	}
	ctsEncrypt(c, dst, src, iv)
	return true
}

func (c *Cipher) ctsDecrypt(dst, src []byte, iv *[BlockSize]byte) bool {
	if len(src) <= BlockSize || len(src) > parallelCall+BlockSize {
		return c.ctsDecryptLong(dst, src, *iv)
	}
	ctsDecrypt(c, dst, src, iv)
	return true
}

// ctsEncryptLong is for what is not one call of the routine: several, or one block.
func (c *Cipher) ctsEncryptLong(dst, src []byte, chain [BlockSize]byte) bool {
	for len(src) > SerialCall+BlockSize {
		cbcEncrypt(c, dst[:SerialCall], src[:SerialCall], &chain)
		dst, src = dst[SerialCall:], src[SerialCall:]
	}
	if len(src) == BlockSize {
		return cbcEncrypt(c, dst, src, &chain)
	}
	ctsEncrypt(c, dst, src, &chain)
	return true
}

func (c *Cipher) ctsDecryptLong(dst, src []byte, chain [BlockSize]byte) bool {
	for len(src) > parallelCall+BlockSize {
		cbcDecrypt(c, dst[:parallelCall], src[:parallelCall], &chain)
		dst, src = dst[parallelCall:], src[parallelCall:]
	}
	if len(src) == BlockSize {
		return cbcDecrypt(c, dst, src, &chain)
	}
	ctsDecrypt(c, dst, src, &chain)
	return true
}

// XTSEncrypt encrypts a data unit of any length from a block on. iv is the tweak
// before its encryption with the key of tweak; it is left as it is. tweak must
// have the key size and tier of c, or there is no routine.
func (c *Cipher) XTSEncrypt(tweak *Cipher, dst, src []byte, iv *[BlockSize]byte) bool {
	return c.xts(tweak, dst, src, iv, false)
}

// XTSDecrypt is the inverse of XTSEncrypt.
func (c *Cipher) XTSDecrypt(tweak *Cipher, dst, src []byte, iv *[BlockSize]byte) bool {
	return c.xts(tweak, dst, src, iv, true)
}

func (c *Cipher) xts(tweak *Cipher, dst, src []byte, iv *[BlockSize]byte, decrypt bool) bool {
	if !c.HasXTSWith(tweak) {
		return false
	}
	if len(src) < parallelCall+BlockSize {
		xts(c, &tweak.enc, dst, src, iv, decrypt)
		return true
	}
	// The routine takes up where it stopped if it is given the encrypted tweak of
	// the next block. What is left for the last call is not shorter than a block.
	var t [BlockSize]byte
	tweak.EncryptBlocks(t[:], iv[:])
	for len(src) >= parallelCall+BlockSize {
		xts(c, nil, dst[:parallelCall], src[:parallelCall], &t, decrypt)
		dst, src = dst[parallelCall:], src[parallelCall:]
	}
	xts(c, nil, dst, src, &t, decrypt)
	return true
}

// HasXTSWith reports whether there is a routine for XTS with that tweak's cipher.
func (c *Cipher) HasXTSWith(tweak *Cipher) bool {
	return c.tier != Go && hasXTS && tweak.tier == c.tier && tweak.rounds == c.rounds
}

// XTSEncryptUnits encrypts data units of size bytes, at least a block each; the
// last one may be shorter, down to a block. The tweak of a unit is its number,
// counted from first on, in little-endian order and filled up with zeros.
func (c *Cipher) XTSEncryptUnits(tweak *Cipher, dst, src []byte, size int, first uint64) bool {
	return c.xtsUnits(tweak, dst, src, size, first, false)
}

// XTSDecryptUnits is the inverse of XTSEncryptUnits.
func (c *Cipher) XTSDecryptUnits(tweak *Cipher, dst, src []byte, size int, first uint64) bool {
	return c.xtsUnits(tweak, dst, src, size, first, true)
}

func (c *Cipher) xtsUnits(tweak *Cipher, dst, src []byte, size int, first uint64, decrypt bool) bool {
	if !c.HasXTSWith(tweak) {
		return false
	}
	for size <= parallelCall && len(src) >= size {
		units := min(len(src), parallelCall) / size
		n := units * size
		xtsUnits(c, &tweak.enc, dst[:n], src[:n], units, size, first, decrypt)
		dst, src = dst[n:], src[n:]
		first += uint64(units)
	}
	for len(src) > 0 {
		n := min(len(src), size)
		iv := unitIV(first)
		c.xts(tweak, dst[:n], src[:n], &iv, decrypt)
		dst, src = dst[n:], src[n:]
		first++
	}
	return true
}

// unitIV is the tweak of a data unit before its encryption.
func unitIV(number uint64) (iv [BlockSize]byte) {
	binary.LittleEndian.PutUint64(iv[:], number)
	return iv
}

// HasXTS says why the tier has no routine for the whole of xts in this build.
func (t Tier) HasXTS() error { return t.has(hasXTS) }

// HasCTS is the same for cts.
func (t Tier) HasCTS() error { return t.has(hasCTS) }

func (t Tier) has(routine bool) error {
	if t != Go && routine {
		return nil
	}
	return errors.New("this build's " + t.String() + " tier has no routine for it")
}
