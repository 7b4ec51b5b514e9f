package selftest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"fmt"
	"strings"
)

// algorithm is what an algorithm does, by its definition and as slowly as that is.
type algorithm struct {
	keySizes []int
	ivSize   int
	unit     int  // a message is a multiple of this many bytes
	shortest int  // and not shorter than this
	chains   bool // hands on an iv
	splits   bool // a message may be given in several calls
	xts      bool
	ctr      bool

	hashBlock  int // bytes of a message block of a hash
	digestSize int
	stream     bool // described with blocks of one byte, as the kernel does cbcmac

	// crypt returns the output and the next iv. It is nil for a cipher and a hash.
	crypt func(key []byte, decrypt bool, src, iv []byte) (out, next []byte)
	// cipher is the block cipher under it.
	cipher func(key []byte) cipher.Block
	// aead is set for an AEAD only.
	aead *aeadDefinition
	// digest is set for a hash only.
	digest func(key, message []byte) []byte
}

const blockSize = 16

// takes reports whether a message may have n bytes.
func (a *algorithm) takes(n int) bool { return n >= a.shortest && n%a.unit == 0 }

// mode is a mode of operation. It works on a copy of the iv, which it leaves as the next
// one, and fills out, which has the length of src.
type mode struct {
	algorithm                           // the facts
	keys      func(key []byte) [][]byte // of the block ciphers, from the algorithm's key
	crypt     func(b []cipher.Block, decrypt bool, out, src, iv []byte)
}

func whole(key []byte) [][]byte  { return [][]byte{key} }
func halves(key []byte) [][]byte { return [][]byte{key[:len(key)/2], key[len(key)/2:]} }

func withSHA256(key []byte) [][]byte {
	sum := sha256.Sum256(key)
	return [][]byte{key, sum[:]}
}

var modes = map[string]mode{
	"ecb(%)":          {algorithm{unit: 16, splits: true}, whole, refECB},
	"cbc(%)":          {algorithm{unit: 16, ivSize: 16, chains: true, splits: true}, whole, refCBC},
	"cfb(%)":          {algorithm{unit: 1, ivSize: 16, chains: true, splits: true}, whole, refCFB},
	"ctr(%)":          {algorithm{unit: 1, ivSize: 16, chains: true, splits: true, ctr: true}, whole, refCTR},
	"xts(%)":          {algorithm{unit: 1, ivSize: 16, shortest: 16, xts: true}, halves, refXTS(doubleIEEE)},
	"xts-gb(%)":       {algorithm{unit: 1, ivSize: 16, shortest: 16, xts: true}, halves, refXTS(doubleGB)},
	"cts(cbc(%))":     {algorithm{unit: 1, ivSize: 16, shortest: 16}, whole, refCTS(3)},
	"cts-cs1(cbc(%))": {algorithm{unit: 1, ivSize: 16, shortest: 16}, whole, refCTS(1)},
	"cts-cs2(cbc(%))": {algorithm{unit: 1, ivSize: 16, shortest: 16}, whole, refCTS(2)},

	"essiv(cbc(%),sha256)": {algorithm{unit: 16, ivSize: 16}, withSHA256, refESSIV},
}

// ciphers are the block ciphers.
var ciphers = map[string]algorithm{
	"sm4": {keySizes: []int{16}, cipher: func(key []byte) cipher.Block { return newTextbookSM4(key) }},
	"aes": {keySizes: []int{16, 24, 32}, cipher: func(key []byte) cipher.Block {
		b, err := aes.NewCipher(key)
		if err != nil {
			panic(err)
		}
		return b
	}},
}

// newAlgorithm returns the definition of an algorithm by its name.
func newAlgorithm(name string) (*algorithm, error) {
	if a := newHashAlgorithm(name); a != nil {
		return a, nil
	}
	if a := newAEADAlgorithm(name); a != nil {
		return a, nil
	}
	if a := newMACAlgorithm(name); a != nil {
		return a, nil
	}
	if c, ok := ciphers[name]; ok {
		c.unit = blockSize
		return &c, nil
	}
	for cipherName, c := range ciphers {
		m, ok := modes[strings.ReplaceAll(name, "("+cipherName+")", "(%)")]
		if !ok {
			continue
		}
		a := m.algorithm
		a.cipher = c.cipher
		for _, size := range c.keySizes {
			if len(m.keys(make([]byte, size))[0]) < size {
				size *= 2 // two keys in one
			}
			a.keySizes = append(a.keySizes, size)
		}
		a.crypt = func(key []byte, decrypt bool, src, iv []byte) (out, next []byte) {
			var b []cipher.Block
			for _, k := range m.keys(key) {
				b = append(b, c.cipher(k))
			}
			out, next = make([]byte, len(src)), bytes.Clone(iv)
			m.crypt(b, decrypt, out, src, next)
			return out, next
		}
		return &a, nil
	}
	return nil, fmt.Errorf("the test matrix has no definition of %s to compare with", name)
}

func xor(dst, a, b []byte) {
	for i := range dst {
		dst[i] = a[i] ^ b[i]
	}
}

func refECB(b []cipher.Block, decrypt bool, out, src, _ []byte) {
	for i := 0; i < len(src); i += blockSize {
		if decrypt {
			b[0].Decrypt(out[i:], src[i:])
		} else {
			b[0].Encrypt(out[i:], src[i:])
		}
	}
}

func refCBC(b []cipher.Block, decrypt bool, out, src, iv []byte) {
	var x [blockSize]byte
	for i := 0; i < len(src); i += blockSize {
		if decrypt {
			b[0].Decrypt(x[:], src[i:])
			xor(out[i:i+blockSize], x[:], iv)
			copy(iv, src[i:])
		} else {
			xor(x[:], src[i:], iv)
			b[0].Encrypt(out[i:], x[:])
			copy(iv, out[i:])
		}
	}
}

func refCFB(b []cipher.Block, decrypt bool, out, src, iv []byte) {
	var x [blockSize]byte
	for i := 0; i < len(src); i += blockSize {
		end := min(i+blockSize, len(src))
		b[0].Encrypt(x[:], iv)
		xor(out[i:end], src[i:], x[:])
		if end < i+blockSize {
			break // a partial block changes no iv
		}
		if decrypt {
			copy(iv, src[i:end])
		} else {
			copy(iv, out[i:end])
		}
	}
}

func refCTR(b []cipher.Block, _ bool, out, src, iv []byte) {
	var x [blockSize]byte
	for i := 0; i < len(src); i += blockSize {
		b[0].Encrypt(x[:], iv)
		xor(out[i:min(i+blockSize, len(src))], src[i:], x[:])
		for j := blockSize - 1; j >= 0; j-- { // big-endian plus one
			iv[j]++
			if iv[j] != 0 {
				break
			}
		}
	}
}

// doubleIEEE multiplies a tweak by x as IEEE 1619 does: byte 0 is the lowest, and bit 7
// the highest of its byte.
func doubleIEEE(t []byte) {
	var carry byte
	for i := range t {
		carry, t[i] = t[i]>>7, t[i]<<1|carry
	}
	t[0] ^= carry * 0x87
}

// doubleGB multiplies a tweak by x as GB/T 17964-2021 does: byte 0 holds the lowest
// coefficients, from bit 7 down.
func doubleGB(t []byte) {
	var carry byte
	for i := range t {
		carry, t[i] = t[i]&1, t[i]>>1|carry<<7
	}
	t[0] ^= carry * 0xe1
}

// refXTS is XTS over b[0], with b[1] for the tweak.
func refXTS(double func([]byte)) func(b []cipher.Block, decrypt bool, out, src, iv []byte) {
	return func(b []cipher.Block, decrypt bool, out, src, iv []byte) {
		one := func(dst, src, tweak []byte) {
			var x [blockSize]byte
			xor(x[:], src, tweak)
			if decrypt {
				b[0].Decrypt(x[:], x[:])
			} else {
				b[0].Encrypt(x[:], x[:])
			}
			xor(dst[:blockSize], x[:], tweak)
		}
		tweak := make([]byte, blockSize)
		b[1].Encrypt(tweak, iv)
		tail := len(src) % blockSize
		for len(src) >= blockSize {
			if len(src) == blockSize+tail && tail > 0 {
				// The last whole block and the rest: decryption takes their tweaks in
				// the other order.
				first, second := bytes.Clone(tweak), bytes.Clone(tweak)
				if double(second); decrypt {
					first, second = second, first
				}
				var x [blockSize]byte
				one(x[:], src, first)
				last := append(bytes.Clone(src[blockSize:]), x[tail:]...)
				copy(out[blockSize:], x[:tail])
				one(out, last, second)
				return
			}
			one(out, src, tweak)
			double(tweak)
			out, src = out[blockSize:], src[blockSize:]
		}
	}
}

// refESSIV is CBC whose iv is first encrypted by b[1].
func refESSIV(b []cipher.Block, decrypt bool, out, src, iv []byte) {
	secret := make([]byte, blockSize)
	b[1].Encrypt(secret, iv)
	refCBC(b, decrypt, out, src, secret)
}

// refCTS is CBC with ciphertext stealing, variant CS1, CS2 or CS3 (NIST SP 800-38A,
// addendum): all are made from CBC of the message, filled with zeros to whole blocks.
func refCTS(variant int) func(b []cipher.Block, decrypt bool, out, src, iv []byte) {
	return func(b []cipher.Block, decrypt bool, out, src, iv []byte) {
		chain := bytes.Clone(iv)
		n := len(src)
		if n == blockSize {
			refCBC(b, decrypt, out, src, chain)
			return
		}
		tail := (n-1)%blockSize + 1 // 1 to 16 bytes
		whole := n - tail
		swap := variant == 3 || variant == 2 && tail < blockSize
		if !decrypt {
			padded := make([]byte, whole+blockSize)
			copy(padded, src)
			refCBC(b, false, padded, padded, chain)
			stolen, last := padded[whole-blockSize:whole-blockSize+tail], padded[whole:]
			copy(out, padded[:whole-blockSize])
			if swap {
				copy(out[whole-blockSize:], last)
				copy(out[whole:], stolen)
			} else {
				copy(out[whole-blockSize:], stolen)
				copy(out[whole-blockSize+tail:], last)
			}
			return
		}
		rest := src[whole-blockSize:] // a block and the tail
		stolen, last := rest[:tail], rest[tail:]
		if swap {
			last, stolen = rest[:blockSize], rest[blockSize:]
		}
		// The last block decrypts to the tail's plaintext over the stolen bytes, then
		// to what was stolen.
		var x [blockSize]byte
		b[0].Decrypt(x[:], last)
		full := append(bytes.Clone(src[:whole-blockSize]), stolen...)
		full = append(full, x[tail:]...)
		refCBC(b, true, out[:whole], full, chain)
		xor(out[whole:], x[:tail], stolen)
	}
}
