package mode

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ucrypt/internal/sm4"
)

// subject is a cipher under test: as the modes see it, and as the naive
// definitions below do.
type subject struct {
	name      string
	c         Cipher
	reference cipher.Block
}

// subjects returns a key's cipher in every tier that can run here, and foreign
// ciphers with blocks of many sizes.
func subjects(t testing.TB, seed byte) []subject {
	key := [16]byte{seed, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	reference := sm4Block{sm4.NewTier(sm4.Generic, &key)}
	var all []subject
	for _, tier := range sm4.Tiers() {
		if tier.Available() == nil {
			all = append(all, subject{"sm4-" + tier.String(), SM4(sm4.NewTier(tier, &key)), reference})
		}
	}
	foreign := func(name string, b cipher.Block, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, subject{name, Of(b), b})
	}
	foreign("sm4-foreign", reference, nil)
	b, err := aes.NewCipher(key[:])
	foreign("aes", b, err)
	b, err = des.NewCipher(key[:8])
	foreign("des", b, err)
	for _, size := range []int{1, 3, 40, 128} {
		foreign(fmt.Sprintf("toy-%d", size), toy{size, seed}, nil)
	}
	return all
}

// sm4Block is SM4 as a foreign cipher.
type sm4Block struct{ c *sm4.Cipher }

func (b sm4Block) BlockSize() int          { return sm4.BlockSize }
func (b sm4Block) Encrypt(dst, src []byte) { b.c.EncryptBlocks(dst[:16], src[:16]) }
func (b sm4Block) Decrypt(dst, src []byte) { b.c.DecryptBlocks(dst[:16], src[:16]) }

// toy is a permutation of blocks of any size, and no cipher: each byte is added
// to those before it.
type toy struct {
	size int
	key  byte
}

func (b toy) BlockSize() int { return b.size }

func (b toy) Encrypt(dst, src []byte) {
	sum := b.key
	for i, x := range src[:b.size] {
		sum += x
		dst[i] = sum ^ byte(i)
	}
}

func (b toy) Decrypt(dst, src []byte) {
	sum := b.key
	for i, x := range src[:b.size] {
		x ^= byte(i)
		dst[i] = x - sum
		sum = x
	}
}

// The definitions, block by block. Each returns the output and the next iv.

func xor(a, b []byte) []byte {
	c := make([]byte, min(len(a), len(b)))
	for i := range c {
		c[i] = a[i] ^ b[i]
	}
	return c
}

func encrypted(b cipher.Block, src []byte) []byte {
	dst := make([]byte, b.BlockSize())
	b.Encrypt(dst, src)
	return dst
}

func decrypted(b cipher.Block, src []byte) []byte {
	dst := make([]byte, b.BlockSize())
	b.Decrypt(dst, src)
	return dst
}

func naiveECB(b cipher.Block, src, iv []byte, decrypt bool) (out, next []byte) {
	for block := range slices.Chunk(src, b.BlockSize()) {
		if decrypt {
			out = append(out, decrypted(b, block)...)
		} else {
			out = append(out, encrypted(b, block)...)
		}
	}
	return out, iv
}

func naiveCBC(b cipher.Block, src, iv []byte, decrypt bool) (out, next []byte) {
	for block := range slices.Chunk(src, b.BlockSize()) {
		if decrypt {
			out = append(out, xor(decrypted(b, block), iv)...)
			iv = block
		} else {
			iv = encrypted(b, xor(block, iv))
			out = append(out, iv...)
		}
	}
	return out, iv
}

func naiveCFB(b cipher.Block, src, iv []byte, decrypt bool) (out, next []byte) {
	for block := range slices.Chunk(src, b.BlockSize()) {
		result := xor(block, encrypted(b, iv))
		out = append(out, result...)
		if len(block) == b.BlockSize() {
			iv = result
			if decrypt {
				iv = block
			}
		}
	}
	return out, iv
}

func naiveCTR(b cipher.Block, src, iv []byte, _ bool) (out, next []byte) {
	iv = bytes.Clone(iv)
	for block := range slices.Chunk(src, b.BlockSize()) {
		out = append(out, xor(block, encrypted(b, iv))...)
		for i := len(iv) - 1; i >= 0; i-- {
			if iv[i]++; iv[i] != 0 {
				break
			}
		}
	}
	return out, iv
}

// naiveXTS takes the steps of the tweak bit by bit.
func naiveXTS(data, tweak cipher.Block, src, iv []byte, gb, decrypt bool) []byte {
	step := func(t []byte) []byte {
		next := make([]byte, 16)
		for i := range 127 {
			// Bit i is the coefficient of x^i.
			set(next, i+1, bit(t, i, gb), gb)
		}
		if bit(t, 127, gb) {
			for _, i := range []int{0, 1, 2, 7} {
				set(next, i, !bit(next, i, gb), gb)
			}
		}
		return next
	}
	crypt := func(block, t []byte) []byte {
		if decrypt {
			return xor(decrypted(data, xor(block, t)), t)
		}
		return xor(encrypted(data, xor(block, t)), t)
	}
	t := encrypted(tweak, iv)
	var out []byte
	for len(src) >= 32 || len(src) == 16 {
		out = append(out, crypt(src[:16], t)...)
		src, t = src[16:], step(t)
	}
	if len(src) == 0 {
		return out
	}
	first, second := t, step(t)
	if decrypt {
		first, second = second, first
	}
	block := crypt(src[:16], first)
	tail := len(src) - 16
	out = append(out, crypt(append(bytes.Clone(src[16:]), block[tail:]...), second)...)
	return append(out, block[:tail]...)
}

func bit(t []byte, i int, gb bool) bool {
	shift := i % 8
	if gb {
		shift = 7 - shift
	}
	return t[i/8]>>shift&1 == 1
}

func set(t []byte, i int, v, gb bool) {
	shift := i % 8
	if gb {
		shift = 7 - shift
	}
	t[i/8] &^= 1 << shift
	if v {
		t[i/8] |= 1 << shift
	}
}

// naiveCTS encrypts as the definition of CS1 says, and moves the last blocks.
func naiveCTS(b cipher.Block, variant CTS, src, iv []byte) []byte {
	size := b.BlockSize()
	tail := (len(src)-1)%size + 1
	padded := append(bytes.Clone(src), make([]byte, size-tail)...)
	out, _ := naiveCBC(b, padded, iv, false)
	if len(src) == size {
		return out
	}
	head, shortened, last := out[:len(out)-2*size], out[len(out)-2*size:][:tail], out[len(out)-size:]
	if variant == CS3 || variant == CS2 && tail < size {
		shortened, last = last, shortened
	}
	return slices.Concat(head, shortened, last)
}

// lengths are all up to 300 bytes, and those around the borders of batches and
// calls.
func lengths(t *testing.T) []int {
	var all []int
	for n := range 301 {
		all = append(all, n)
	}
	for _, border := range []int{batch, 2 * batch, xtsBatch} {
		for _, d := range []int{-17, -16, -1, 0, 1, 16, 17, 35} {
			all = append(all, border+d)
		}
	}
	if !testing.Short() {
		for _, border := range []int{serialCall, parallelCall} {
			all = append(all, border, border+35)
		}
	}
	return all
}

func random(seed uint64, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(b)
	return b
}

// compare runs f on src, in place and not, within longer buffers whose ends
// must stay as they are, and compares the output and the iv.
func compare(t *testing.T, what string, want, wantIV, src, iv []byte, f func(dst, src, iv []byte)) {
	t.Helper()
	const margin = 24
	for _, inPlace := range []bool{false, true} {
		in := append(bytes.Clone(src), bytes.Repeat([]byte{0xa5}, margin)...)
		out := in
		if !inPlace {
			out = bytes.Repeat([]byte{0xa5}, len(in))
		}
		chain := bytes.Clone(iv)
		f(out, in[:len(src)], chain)
		switch {
		case !bytes.Equal(out[:len(src)], want):
			t.Fatalf("%s, %d bytes, in place %v: wrong output", what, len(src), inPlace)
		case !inPlace && !bytes.Equal(in[:len(src)], src):
			t.Fatalf("%s, %d bytes: input changed", what, len(src))
		case !bytes.Equal(chain, wantIV):
			t.Fatalf("%s, %d bytes, in place %v: iv %x, want %x", what, len(src), inPlace, chain, wantIV)
		}
		for _, b := range [][]byte{in, out} {
			if strings.Trim(string(b[len(src):]), "\xa5") != "" {
				t.Fatalf("%s, %d bytes, in place %v: written behind the end", what, len(src), inPlace)
			}
		}
	}
}

func TestChainingModes(t *testing.T) {
	modes := []struct {
		name             string
		whole            bool
		encrypt, decrypt func(c *Cipher, dst, src, iv []byte)
		naive            func(b cipher.Block, src, iv []byte, decrypt bool) (out, next []byte)
	}{
		{"ecb", true,
			func(c *Cipher, dst, src, _ []byte) { EncryptECB(c, dst, src) },
			func(c *Cipher, dst, src, _ []byte) { DecryptECB(c, dst, src) }, naiveECB},
		{"cbc", true, EncryptCBC, DecryptCBC, naiveCBC},
		{"cfb", false, EncryptCFB, DecryptCFB, naiveCFB},
		{"ctr", false, CTR, CTR, naiveCTR},
	}
	for _, s := range subjects(t, 1) {
		size := s.c.BlockSize()
		for _, m := range modes {
			t.Run(m.name+"/"+s.name, func(t *testing.T) {
				for _, n := range lengths(t) {
					if m.whole && n%size != 0 {
						continue
					}
					iv, src := random(uint64(n), size), random(uint64(n)+1, n)
					want, next := m.naive(s.reference, src, iv, false)
					compare(t, "encryption", want, next, src, iv, func(dst, src, iv []byte) { m.encrypt(&s.c, dst, src, iv) })
					want, next = m.naive(s.reference, src, iv, true)
					compare(t, "decryption", want, next, src, iv, func(dst, src, iv []byte) { m.decrypt(&s.c, dst, src, iv) })
				}
			})
		}
	}
}

// Every carry of the counter, from the last bytes to all of it, at every place
// within the widest stride.
func TestCounterWraps(t *testing.T) {
	for _, s := range subjects(t, 2) {
		size := s.c.BlockSize()
		for ones := range size + 1 {
			for before := range 40 {
				iv := random(uint64(ones), size)
				for i := size - ones; i < size; i++ {
					iv[i] = 0xff
				}
				if ones > 0 {
					iv[size-1] -= byte(before)
				}
				src := random(uint64(before), 45*size+size/2)
				want, next := naiveCTR(s.reference, src, iv, false)
				compare(t, fmt.Sprintf("%s, %x", s.name, iv), want, next, src, iv, func(dst, src, iv []byte) { CTR(&s.c, dst, src, iv) })
			}
		}
	}
}

func TestXTS(t *testing.T) {
	tweaks := subjects(t, 4)
	for i, s := range subjects(t, 3) {
		if s.c.BlockSize() != 16 {
			continue
		}
		for _, gb := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/gb=%v", s.name, gb), func(t *testing.T) {
				x := NewXTS(s.c, tweaks[i].c, gb)
				for _, n := range lengths(t) {
					if n < 16 {
						continue
					}
					iv, src := random(uint64(n), 16), random(uint64(n)+1, n)
					want := naiveXTS(s.reference, tweaks[i].reference, src, iv, gb, false)
					compare(t, "encryption", want, iv, src, iv, func(dst, src, iv []byte) { EncryptXTS(&x, dst, src, iv) })
					want = naiveXTS(s.reference, tweaks[i].reference, src, iv, gb, true)
					compare(t, "decryption", want, iv, src, iv, func(dst, src, iv []byte) { DecryptXTS(&x, dst, src, iv) })
				}
			})
		}
	}
}

// The two flavours agree on one block and on nothing longer.
func TestXTSFlavours(t *testing.T) {
	key := [16]byte{1}
	c := SM4(sm4.NewTier(sm4.Generic, &key))
	ieee, gb := NewXTS(c, c, false), NewXTS(c, c, true)
	for n := 16; n <= 64; n++ {
		src, iv := random(1, n), random(2, 16)
		a, b := make([]byte, n), make([]byte, n)
		EncryptXTS(&ieee, a, src, iv)
		EncryptXTS(&gb, b, src, iv)
		if bytes.Equal(a, b) != (n == 16) {
			t.Errorf("%d bytes: equal %v", n, n != 16)
		}
	}
}

func TestXTSUnits(t *testing.T) {
	for _, s := range subjects(t, 5) {
		if s.c.BlockSize() != 16 {
			continue
		}
		x := NewXTS(s.c, s.c, false)
		for _, unitSize := range []int{16, 17, 31, 32, 100, 512, 520, 1000, 4096} {
			for _, n := range []int{0, 16, 17, unitSize, unitSize + 16, unitSize + 31, 2 * unitSize, 16 * unitSize, 17*unitSize + 16, 33 * unitSize} {
				if last := n % unitSize; last != 0 && last < 16 || testing.Short() && n > 20000 {
					continue
				}
				const first = 1<<64 - 9 // the numbers wrap on the way
				src := random(uint64(n), n)
				for _, decrypt := range []bool{false, true} {
					var want []byte
					number := uint64(first)
					for unit := range slices.Chunk(src, unitSize) {
						iv := make([]byte, 16)
						for i := range 8 {
							iv[i] = byte(number >> (8 * i))
						}
						want = append(want, naiveXTS(s.reference, s.reference, unit, iv, false, decrypt)...)
						number++
					}
					compare(t, fmt.Sprintf("%s, units of %d, decrypt %v", s.name, unitSize, decrypt), want, nil, src, nil, func(dst, src, _ []byte) {
						if decrypt {
							DecryptXTSUnits(&x, dst, src, unitSize, first)
						} else {
							EncryptXTSUnits(&x, dst, src, unitSize, first)
						}
					})
				}
			}
		}
	}
}

func TestCTS(t *testing.T) {
	for _, s := range subjects(t, 6) {
		size := s.c.BlockSize()
		for _, variant := range []CTS{CS1, CS2, CS3} {
			t.Run(fmt.Sprintf("%s/%d", s.name, variant), func(t *testing.T) {
				for _, n := range lengths(t) {
					if n < size {
						continue
					}
					iv, src := random(uint64(n), size), random(uint64(n)+1, n)
					out := naiveCTS(s.reference, variant, src, iv)
					compare(t, "encryption", out, iv, src, iv, func(dst, src, iv []byte) { EncryptCTS(&s.c, variant, dst, src, iv) })
					compare(t, "decryption", src, iv, out, iv, func(dst, src, iv []byte) { DecryptCTS(&s.c, variant, dst, src, iv) })
				}
			})
		}
	}
}

func TestESSIV(t *testing.T) {
	salts := subjects(t, 8)
	for i, s := range subjects(t, 7) {
		size := s.c.BlockSize()
		if size < 8 {
			continue
		}
		e := NewESSIV(s.c, salts[i].c)
		for blocks := range 70 {
			iv, src := random(uint64(blocks), size), random(uint64(blocks)+1, blocks*size)
			inner := encrypted(salts[i].reference, iv)
			want, _ := naiveCBC(s.reference, src, inner, false)
			compare(t, s.name, want, iv, src, iv, func(dst, src, iv []byte) { EncryptESSIV(&e, dst, src, iv) })
			want, _ = naiveCBC(s.reference, src, inner, true)
			compare(t, s.name, want, iv, src, iv, func(dst, src, iv []byte) { DecryptESSIV(&e, dst, src, iv) })

			unitSize := 3 * size
			var units, back []byte
			number := uint64(0xfffffffe)
			for unit := range slices.Chunk(src, unitSize) {
				iv := make([]byte, size)
				for i := range 8 {
					iv[i] = byte(number >> (8 * i))
				}
				inner := encrypted(salts[i].reference, iv)
				out, _ := naiveCBC(s.reference, unit, inner, false)
				units = append(units, out...)
				out, _ = naiveCBC(s.reference, unit, inner, true)
				back = append(back, out...)
				number++
			}
			compare(t, s.name+", units", units, nil, src, nil, func(dst, src, _ []byte) { EncryptESSIVUnits(&e, dst, src, unitSize, 0xfffffffe) })
			compare(t, s.name+", units", back, nil, src, nil, func(dst, src, _ []byte) { DecryptESSIVUnits(&e, dst, src, unitSize, 0xfffffffe) })
		}
	}
}

// No mode allocates, although everything lies on the caller's stack.
func TestAllocations(t *testing.T) {
	for _, s := range subjects(t, 9) {
		if s.c.foreign != nil {
			continue
		}
		c := &s.c
		x, e := NewXTS(s.c, s.c, false), NewESSIV(s.c, s.c)
		allocations := testing.AllocsPerRun(20, func() {
			var dst, src [1000]byte
			var iv [16]byte
			EncryptECB(c, dst[:], src[:992])
			DecryptECB(c, dst[:], src[:992])
			EncryptCBC(c, dst[:], src[:992], iv[:])
			DecryptCBC(c, dst[:], src[:992], iv[:])
			EncryptCFB(c, dst[:], src[:], iv[:])
			DecryptCFB(c, dst[:], src[:], iv[:])
			CTR(c, dst[:], src[:], iv[:])
			EncryptXTS(&x, dst[:], src[:], iv[:])
			DecryptXTS(&x, dst[:], src[:], iv[:])
			EncryptXTSUnits(&x, dst[:], src[:], 100, 1)
			DecryptXTSUnits(&x, dst[:], src[:], 100, 1)
			for _, variant := range []CTS{CS1, CS2, CS3} {
				EncryptCTS(c, variant, dst[:], src[:], iv[:])
				DecryptCTS(c, variant, dst[:], src[:], iv[:])
			}
			EncryptESSIV(&e, dst[:], src[:992], iv[:])
			DecryptESSIV(&e, dst[:], src[:992], iv[:])
			EncryptESSIVUnits(&e, dst[:], src[:992], 64, 1)
			DecryptESSIVUnits(&e, dst[:], src[:992], 64, 1)
		})
		if allocations != 0 {
			t.Errorf("%s: %v allocations", s.name, allocations)
		}
	}
}

func TestOf(t *testing.T) {
	key := [16]byte{}
	b := NewBlock("mode", SM4(sm4.NewTier(sm4.Generic, &key)))
	if c := Of(b); c.sm4 == nil {
		t.Error("our own block is treated as a foreign one")
	}
	for _, size := range []int{0, 129} {
		func() {
			defer func() {
				want := fmt.Sprintf("modes: cipher with blocks of %d bytes, want 1 to 128", size)
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			Of(toy{size, 0})
		}()
	}
}
