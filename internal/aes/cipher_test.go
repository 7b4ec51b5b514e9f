package aes

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"ucrypt/internal/guard"
)

// operation is a method of Cipher and what it must equal.
type operation struct {
	name      string
	least     int // bytes
	step      int // lengths are multiples of it
	limit     int // bytes the method takes, 0 for any
	run       func(c, tweak *Cipher, dst, src []byte, iv *[16]byte) bool
	reference reference
}

var operations = []operation{
	{"ECB encryption", 0, 16, parallelCall, func(c, _ *Cipher, dst, src []byte, _ *[16]byte) bool {
		c.EncryptBlocks(dst, src)
		return true
	}, refECB(false)},
	{"ECB decryption", 0, 16, parallelCall, func(c, _ *Cipher, dst, src []byte, _ *[16]byte) bool {
		c.DecryptBlocks(dst, src)
		return true
	}, refECB(true)},
	{"CBC encryption", 0, 16, SerialCall, func(c, _ *Cipher, dst, src []byte, iv *[16]byte) bool {
		return c.CBCEncrypt(dst, src, iv)
	}, refCBC(false)},
	{"CBC decryption", 0, 16, parallelCall, func(c, _ *Cipher, dst, src []byte, iv *[16]byte) bool {
		return c.CBCDecrypt(dst, src, iv)
	}, refCBC(true)},
	{"CTS encryption", 16, 1, 0, func(c, _ *Cipher, dst, src []byte, iv *[16]byte) bool {
		return c.CTSEncrypt(dst, src, iv)
	}, refCTSEncrypt},
	{"CTS decryption", 16, 1, 0, func(c, _ *Cipher, dst, src []byte, iv *[16]byte) bool {
		return c.CTSDecrypt(dst, src, iv)
	}, refCTSDecrypt},
	{"XTS encryption", 16, 1, 0, func(c, tweak *Cipher, dst, src []byte, iv *[16]byte) bool {
		return c.XTSEncrypt(tweak, dst, src, iv)
	}, refXTS(false)},
	{"XTS decryption", 16, 1, 0, func(c, tweak *Cipher, dst, src []byte, iv *[16]byte) bool {
		return c.XTSDecrypt(tweak, dst, src, iv)
	}, refXTS(true)},
}

// unitOperations are XTS in data units of a size.
func unitOperations(size int) []operation {
	run := func(decrypt bool) func(c, tweak *Cipher, dst, src []byte, iv *[16]byte) bool {
		return func(c, tweak *Cipher, dst, src []byte, iv *[16]byte) bool {
			first := binary.LittleEndian.Uint64(iv[:])
			if decrypt {
				return c.XTSDecryptUnits(tweak, dst, src, size, first)
			}
			return c.XTSEncryptUnits(tweak, dst, src, size, first)
		}
	}
	return []operation{
		{fmt.Sprintf("XTS encryption of units of %d bytes", size), 16, 1, 0, run(false), refUnits(false, size)},
		{fmt.Sprintf("XTS decryption of units of %d bytes", size), 16, 1, 0, run(true), refUnits(true, size)},
	}
}

// eachTier runs f for each tier that this machine can run and each key size. A tier
// that REQUIRE_DRIVERS names by a driver must not be left out.
func eachTier(t *testing.T, f func(t *testing.T, tier Tier, keySize int)) {
	for _, tier := range Tiers() {
		t.Run(tier.String(), func(t *testing.T) {
			if err := tier.Available(); err != nil {
				if strings.Contains(os.Getenv("REQUIRE_DRIVERS")+",", "-aes-"+tier.String()+",") {
					t.Fatalf("required, but %v", err)
				}
				t.Skip(err)
			}
			for _, keySize := range []int{16, 24, 32} {
				f(t, tier, keySize)
			}
		})
	}
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// pair is two keys and their ciphers.
type pair struct {
	key, tweakKey []byte
	c, tweak      *Cipher
}

func newPair(r *rand.Rand, tier Tier, keySize int) pair {
	p := pair{key: random(r, keySize), tweakKey: random(r, keySize)}
	p.c, p.tweak = NewTier(tier, p.key), NewTier(tier, p.tweakKey)
	return p
}

// check runs an operation on n bytes in given buffers. dst may be src.
func (p pair) check(t *testing.T, op operation, dst, src, text []byte, iv [16]byte) {
	t.Helper()
	want, next := op.reference(p.key, p.tweakKey, text, iv[:])
	copy(src, text)
	chain := iv
	if !op.run(p.c, p.tweak, dst, src, &chain) {
		return // built by package mode
	}
	if !bytes.Equal(dst, want) {
		t.Errorf("%s, %v, %d-byte key, %d bytes: wrong result", op.name, p.c.Tier(), len(p.key), len(text))
	}
	if !bytes.Equal(chain[:], next) {
		t.Errorf("%s, %v, %d-byte key, %d bytes: wrong next iv", op.name, p.c.Tier(), len(p.key), len(text))
	}
	if len(src) > 0 && &dst[0] != &src[0] && !bytes.Equal(src, text) {
		t.Errorf("%s, %v, %d-byte key, %d bytes: src was changed", op.name, p.c.Tier(), len(p.key), len(text))
	}
}

func lengths() []int {
	var n []int
	last := 600
	if testing.Short() {
		last = 275
	}
	for i := range last + 1 {
		n = append(n, i)
	}
	for _, i := range []int{1024, 2048, 4096} {
		n = append(n, i-17, i-16, i-1, i, i+1, i+15, i+16, i+31)
	}
	return n
}

// All lengths, with an inaccessible page on either side of each buffer.
func TestLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const size = 4200
	bufs := [2]*guard.Buffer{}
	for i := range bufs {
		b, err := guard.New(size)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		bufs[i] = b
	}
	all := operations
	sizes := []int{16, 17, 31, 32, 48, 100, 128, 272, 512}
	if testing.Short() {
		sizes = []int{17, 128}
	}
	for _, size := range sizes {
		all = append(all[:len(all):len(all)], unitOperations(size)...)
	}
	eachTier(t, func(t *testing.T, tier Tier, keySize int) {
		p := newPair(r, tier, keySize)
		for _, op := range all {
			for _, n := range lengths() {
				if n < op.least || n%op.step != 0 || tier == Go && n > 100 {
					continue
				}
				if strings.Contains(op.name, "units") {
					var size int
					fmt.Sscanf(op.name[len("XTS encryption of units of "):], "%d", &size)
					if rest := n % size; rest > 0 && rest < 16 {
						continue
					}
				}
				text, iv := random(r, n), [16]byte(random(r, 16))
				if n%3 == 0 {
					copy(iv[:8], "\xfd\xff\xff\xff\xff\xff\xff\xff") // the number wraps
				}
				p.check(t, op, bufs[0].Right(n), bufs[1].Right(n), text, iv)
				p.check(t, op, bufs[0].Left(n), bufs[1].Left(n), text, iv)
				p.check(t, op, bufs[0].Right(n), bufs[0].Right(n), text, iv)
				p.check(t, op, bufs[0].Left(n), bufs[0].Left(n), text, iv)
				if t.Failed() {
					return
				}
			}
		}
	})
}

// Buffers at any offset, with bytes on both sides that must stay as they are.
func TestOffsets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := append(operations[:len(operations):len(operations)], unitOperations(80)...)
	eachTier(t, func(t *testing.T, tier Tier, keySize int) {
		p := newPair(r, tier, keySize)
		for _, op := range all {
			for i := range 200 {
				n := 16 + r.IntN(700)
				if strings.Contains(op.name, "units") && n%80 < 16 {
					n -= n % 80
				}
				n -= n % op.step
				n = max(n, 80)
				text, iv := random(r, n), [16]byte(random(r, 16))
				poison := random(r, 1)[0]
				memory := bytes.Repeat([]byte{poison}, 2*(n+256))
				d, s := 64+r.IntN(64), n+256+64+r.IntN(64)
				if i%3 == 0 {
					s = d
				}
				p.check(t, op, memory[d:d+n:d+n], memory[s:s+n:s+n], text, iv)
				for j, b := range memory {
					if (j < d || j >= d+n) && (j < s || j >= s+n) && b != poison {
						t.Fatalf("%s, %v: byte %d of memory was changed; dst %d, src %d, %d bytes", op.name, tier, j, d, s, n)
					}
				}
				if t.Failed() {
					return
				}
			}
		}
	})
}

// Messages that take more than one call of a routine.
func TestLong(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	all := append(operations[:len(operations):len(operations)], unitOperations(512)...)
	all = append(all, unitOperations(parallelCall+48)...)
	eachTier(t, func(t *testing.T, tier Tier, keySize int) {
		if tier == Go || testing.Short() && keySize != 24 {
			return
		}
		p := newPair(r, tier, keySize)
		for _, op := range all {
			for _, n := range []int{SerialCall, SerialCall + 15, SerialCall + 16, SerialCall + 17, parallelCall, parallelCall + 15, parallelCall + 16, parallelCall + 17, 2*parallelCall + 33} {
				if n%op.step != 0 || op.limit > 0 && n > op.limit || strings.Contains(op.name, "512") && n%512 < 16 && n%512 != 0 {
					continue
				}
				buf := make([]byte, n)
				p.check(t, op, buf, buf, random(r, n), [16]byte(random(r, 16)))
			}
		}
	})
}

// A value that many goroutines use at once.
func TestConcurrent(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	eachTier(t, func(t *testing.T, tier Tier, keySize int) {
		p := newPair(r, tier, keySize)
		text, iv := random(r, 304), [16]byte(random(r, 16))
		done := make(chan bool)
		for range 16 {
			go func() {
				for _, op := range operations {
					p.check(t, op, make([]byte, len(text)), make([]byte, len(text)), text, iv)
				}
				done <- true
			}()
		}
		for range 16 {
			<-done
		}
	})
}

func TestNoAllocation(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	eachTier(t, func(t *testing.T, tier Tier, keySize int) {
		if tier == Go {
			return
		}
		p := newPair(r, tier, keySize)
		for _, op := range operations {
			if n := testing.AllocsPerRun(20, func() { op.runOnStack(p) }); n != 0 {
				t.Errorf("%s, %v: %v allocations a call", op.name, tier, n)
			}
		}
		n := testing.AllocsPerRun(20, func() {
			var dst, src [80]byte
			p.c.XTSEncryptUnits(p.tweak, dst[:], src[:], 32, 5)
			p.c.XTSDecryptUnits(p.tweak, dst[:], src[:], 32, 5)
		})
		if n != 0 {
			t.Errorf("XTS in units, %v: %v allocations a call", tier, n)
		}
	})
}

// runOnStack calls the method directly with all buffers on the stack: a call
// through operation.run would move them to the heap.
func (op operation) runOnStack(p pair) {
	var dst, src [48]byte
	var iv [16]byte
	switch op.name {
	case "ECB encryption":
		p.c.EncryptBlocks(dst[:], src[:])
	case "ECB decryption":
		p.c.DecryptBlocks(dst[:], src[:])
	case "CBC encryption":
		p.c.CBCEncrypt(dst[:], src[:], &iv)
	case "CBC decryption":
		p.c.CBCDecrypt(dst[:], src[:], &iv)
	case "CTS encryption":
		p.c.CTSEncrypt(dst[:47], src[:47], &iv)
	case "CTS decryption":
		p.c.CTSDecrypt(dst[:47], src[:47], &iv)
	case "XTS encryption":
		p.c.XTSEncrypt(p.tweak, dst[:47], src[:47], &iv)
	case "XTS decryption":
		p.c.XTSDecrypt(p.tweak, dst[:47], src[:47], &iv)
	default:
		panic(op.name)
	}
}

// Every tier expands every key as FIPS 197 does: its blocks are crypto/aes's.
func TestKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	eachTier(t, func(t *testing.T, tier Tier, keySize int) {
		for range 300 {
			key, text := random(r, keySize), random(r, 16)
			want, got := make([]byte, 16), make([]byte, 16)
			std(key).Encrypt(want, text)
			c := NewTier(tier, key)
			if c.EncryptBlocks(got, text); !bytes.Equal(got, want) {
				t.Fatalf("%v, key %x: wrong ciphertext", tier, key)
			}
			if c.DecryptBlocks(got, got); !bytes.Equal(got, text) {
				t.Fatalf("%v, key %x: wrong plaintext", tier, key)
			}
		}
	})
}
