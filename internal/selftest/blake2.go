package selftest

import (
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"sync"
)

// blake2Sigma is the order in which the rounds take the words of a message block (RFC
// 7693, section 2.7).
var blake2Sigma = [10][16]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// blake2IV holds the first 64 bits of the fractional parts of the square roots of the
// first eight primes. BLAKE2s takes the upper halves.
var blake2IV = sync.OnceValue(func() (iv [8]uint64) {
	for i, prime := range []int64{2, 3, 5, 7, 11, 13, 17, 19} {
		x := new(big.Int).Lsh(big.NewInt(prime), 2*64)
		for _, word := range x.Sqrt(x).FillBytes(make([]byte, 9))[1:] {
			iv[i] = iv[i]<<8 | uint64(word)
		}
	}
	return iv
})

// blake2 is BLAKE2s (word is 4 bytes) or BLAKE2b (8 bytes) as RFC 7693 defines it, step
// by step.
type blake2 struct {
	word    int // bytes
	rounds  int
	rotates [4]int // to the right
}

var (
	blake2sHash = blake2{4, 10, [4]int{16, 12, 8, 7}}
	blake2bHash = blake2{8, 12, [4]int{32, 24, 16, 63}}
)

// block is the size of a message block in bytes.
func (f *blake2) block() int { return 16 * f.word }

// keySize is the size of the longest key, and of the longest digest.
func (f *blake2) keySize() int { return 8 * f.word }

// cut leaves of x the bits that a word has.
func (f *blake2) cut(x uint64) uint64 {
	if f.word == 8 {
		return x
	}
	return uint64(uint32(x))
}

func (f *blake2) rotate(x uint64, n int) uint64 {
	if f.word == 8 {
		return bits.RotateLeft64(x, -n)
	}
	return uint64(bits.RotateLeft32(uint32(x), -n))
}

func (f *blake2) iv(i int) uint64 { return blake2IV()[i] >> (64 - 8*f.word) }

// sum is the digest of size bytes.
func (f *blake2) sum(size int, key, message []byte) []byte {
	var h [8]uint64
	for i := range h {
		h[i] = f.iv(i)
	}
	h[0] ^= 1<<24 | 1<<16 | uint64(len(key))<<8 | uint64(size)

	var data []byte
	if len(key) > 0 {
		data = make([]byte, f.block())
		copy(data, key)
	}
	data = append(data, message...)
	taken := 0
	for {
		rest := data[taken:]
		last := len(rest) <= f.block()
		block := make([]byte, f.block())
		taken += copy(block, rest)
		f.compress(&h, block, taken, last)
		if last {
			break
		}
	}
	var out []byte
	for _, x := range h {
		for range f.word {
			out = append(out, byte(x))
			x >>= 8
		}
	}
	return out[:size]
}

// compress is the function F of the RFC.
func (f *blake2) compress(h *[8]uint64, block []byte, taken int, last bool) {
	var m, v [16]uint64
	for i := range m {
		for j := f.word - 1; j >= 0; j-- {
			m[i] = m[i]<<8 | uint64(block[f.word*i+j])
		}
	}
	for i := range 8 {
		v[i], v[i+8] = h[i], f.iv(i)
	}
	v[12] ^= f.cut(uint64(taken)) // no message here is so long that v[13] would get something
	if last {
		v[14] ^= f.cut(^uint64(0))
	}
	for round := range f.rounds {
		s := &blake2Sigma[round%10]
		for i := range 4 { // the columns
			f.mix(&v, i, 4+i, 8+i, 12+i, m[s[2*i]], m[s[2*i+1]])
		}
		for i := range 4 { // the diagonals
			f.mix(&v, i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4, m[s[8+2*i]], m[s[9+2*i]])
		}
	}
	for i := range h {
		h[i] ^= v[i] ^ v[i+8]
	}
}

// mix is the function G of the RFC.
func (f *blake2) mix(v *[16]uint64, a, b, c, d int, x, y uint64) {
	v[a] = f.cut(v[a] + v[b] + x)
	v[d] = f.rotate(v[d]^v[a], f.rotates[0])
	v[c] = f.cut(v[c] + v[d])
	v[b] = f.rotate(v[b]^v[c], f.rotates[1])
	v[a] = f.cut(v[a] + v[b] + y)
	v[d] = f.rotate(v[d]^v[a], f.rotates[2])
	v[c] = f.cut(v[c] + v[d])
	v[b] = f.rotate(v[b]^v[c], f.rotates[3])
}

// newHashAlgorithm returns the definition of a hash by its name, nil if it is none.
func newHashAlgorithm(name string) *algorithm {
	for family, f := range map[string]*blake2{"blake2s": &blake2sHash, "blake2b": &blake2bHash} {
		size, ok := strings.CutPrefix(name, family+"-")
		n, err := strconv.Atoi(size)
		if !ok || err != nil || n%8 != 0 || n < 8 || n > 8*f.keySize() {
			continue
		}
		a := &algorithm{unit: 1, hashBlock: f.block(), digestSize: n / 8}
		for keySize := range f.keySize() + 1 {
			a.keySizes = append(a.keySizes, keySize)
		}
		a.digest = func(key, message []byte) []byte { return f.sum(n/8, key, message) }
		return a
	}
	return nil
}
