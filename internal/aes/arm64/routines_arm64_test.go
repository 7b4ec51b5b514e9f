//go:build !purego

package arm64

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ucrypt/internal/cpu"
	"ucrypt/internal/routinetest"
)

// keys holds two keys in the routines' form and as blocks of crypto/aes.
type keys struct {
	rounds          int
	enc, dec, tweak [240]byte
	block, second   cipher.Block
}

func newKeys(r *rand.Rand, size int) *keys {
	k := &keys{rounds: 6 + size/4}
	key := make([]byte, size)
	routinetest.Fill(r, key)
	ExpandKeyCE(&key[0], k.rounds, &k.tweak, &k.dec)
	k.second, _ = aes.NewCipher(key)
	routinetest.Fill(r, key)
	ExpandKeyCE(&key[0], k.rounds, &k.enc, &k.dec)
	k.block, _ = aes.NewCipher(key)
	return k
}

type routine = routinetest.Routine[keys]

var routines = []routine{
	{Name: "ECBEncCE", Blocks: true, Min: 16,
		Run:  func(k *keys, dst, src []byte, _ *[16]byte) { ECBEncCE(&k.enc, k.rounds, &dst[0], &src[0], len(src)/16) },
		Want: func(k *keys, src []byte, _ *[16]byte) []byte { return routinetest.ECB(k.encrypt, src, nil) }},
	{Name: "ECBDecCE", Blocks: true, Min: 16,
		Run:  func(k *keys, dst, src []byte, _ *[16]byte) { ECBDecCE(&k.dec, k.rounds, &dst[0], &src[0], len(src)/16) },
		Want: func(k *keys, src []byte, _ *[16]byte) []byte { return routinetest.ECB(k.decrypt, src, nil) }},
	{Name: "CBCEncCE", Blocks: true, Min: 16,
		Run: func(k *keys, dst, src []byte, iv *[16]byte) {
			CBCEncCE(&k.enc, k.rounds, &dst[0], &src[0], len(src)/16, iv)
		},
		Want: func(k *keys, src []byte, iv *[16]byte) []byte { return routinetest.CBCEncrypt(k.encrypt, src, iv) }},
	{Name: "CBCDecCE", Blocks: true, Min: 16,
		Run: func(k *keys, dst, src []byte, iv *[16]byte) {
			CBCDecCE(&k.dec, k.rounds, &dst[0], &src[0], len(src)/16, iv)
		},
		Want: func(k *keys, src []byte, iv *[16]byte) []byte { return routinetest.CBCDecrypt(k.decrypt, src, iv) }},
	{Name: "CTSEncCE", Min: 17,
		Run: func(k *keys, dst, src []byte, iv *[16]byte) {
			CTSEncCE(&k.enc, k.rounds, &dst[0], &src[0], len(src), iv)
		},
		Want: func(k *keys, src []byte, iv *[16]byte) []byte { return routinetest.CTSEncrypt(k.encrypt, src, iv) }},
	{Name: "CTSDecCE", Min: 17,
		Run: func(k *keys, dst, src []byte, iv *[16]byte) {
			CTSDecCE(&k.dec, k.rounds, &dst[0], &src[0], len(src), iv)
		},
		Want: func(k *keys, src []byte, iv *[16]byte) []byte { return routinetest.CTSDecrypt(k.decrypt, src, iv) }},
	{Name: "XTSEncCE", Min: 16,
		Run: func(k *keys, dst, src []byte, iv *[16]byte) {
			XTSEncCE(&k.enc, &k.tweak, k.rounds, &dst[0], &src[0], len(src), iv)
		},
		Want: func(k *keys, src []byte, iv *[16]byte) []byte {
			t := k.encryptTweak(iv[:])
			return refXTS(k, src, &t, false)
		}},
	{Name: "XTSDecCE", Min: 16,
		Run: func(k *keys, dst, src []byte, iv *[16]byte) {
			XTSDecCE(&k.dec, &k.tweak, k.rounds, &dst[0], &src[0], len(src), iv)
		},
		Want: func(k *keys, src []byte, iv *[16]byte) []byte {
			t := k.encryptTweak(iv[:])
			return refXTS(k, src, &t, true)
		}},
	// A unit that is continued: the tweak comes encrypted, and is stepped unless
	// there is a partial block.
	{Name: "XTSEncCE rest", Min: 16,
		Run: func(k *keys, dst, src []byte, iv *[16]byte) {
			XTSEncCE(&k.enc, nil, k.rounds, &dst[0], &src[0], len(src), iv)
		},
		Want: func(k *keys, src []byte, iv *[16]byte) []byte { return refRest(k, src, iv, false) }},
	{Name: "XTSDecCE rest", Min: 16,
		Run: func(k *keys, dst, src []byte, iv *[16]byte) {
			XTSDecCE(&k.dec, nil, k.rounds, &dst[0], &src[0], len(src), iv)
		},
		Want: func(k *keys, src []byte, iv *[16]byte) []byte { return refRest(k, src, iv, true) }},
}

// encrypt, decrypt and encryptTweak are crypto/aes's.
func (k *keys) encrypt(src []byte) (dst [16]byte) {
	k.block.Encrypt(dst[:], src[:16])
	return dst
}

func (k *keys) decrypt(src []byte) (dst [16]byte) {
	k.block.Decrypt(dst[:], src[:16])
	return dst
}

func (k *keys) encryptTweak(src []byte) (dst [16]byte) {
	k.second.Encrypt(dst[:], src[:16])
	return dst
}

// refXTS is one data unit from the encrypted tweak t on.
func refXTS(k *keys, src []byte, t *[16]byte, decrypt bool) []byte {
	if decrypt {
		return routinetest.XTS(k.decrypt, src, t, false, true)
	}
	return routinetest.XTS(k.encrypt, src, t, false, false)
}

func refRest(k *keys, src []byte, iv *[16]byte, decrypt bool) []byte {
	t := *iv
	dst := refXTS(k, src, &t, decrypt)
	if len(src)%16 == 0 {
		*iv = t
	}
	return dst
}

func require(t *testing.T) {
	t.Helper()
	if missing := cpu.Missing([]cpu.Feature{cpu.AES}); len(missing) > 0 {
		t.Skip("not run: " + strings.Join(missing, "; "))
	}
}

// each runs f on every routine with every key size.
func each(t *testing.T, f func(t *testing.T, r *routine, k *keys, rnd *rand.Rand)) {
	require(t)
	for i := range routines {
		for _, size := range []int{16, 24, 32} {
			t.Run(fmt.Sprint(routines[i].Name, "/", 8*size), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(uint64(size), uint64(i)))
				f(t, &routines[i], newKeys(rnd, size), rnd)
			})
		}
	}
}

// TestExpandKey has the examples of FIPS 197 appendix A, the slots that are left
// alone, and both schedules between guard pages.
func TestExpandKey(t *testing.T) {
	require(t)
	for size, last := range map[int]uint32{16: 0xb6630ca6, 24: 0x01002202, 32: 0x706c631e} {
		key := map[int]string{
			16: "\x2b\x7e\x15\x16\x28\xae\xd2\xa6\xab\xf7\x15\x88\x09\xcf\x4f\x3c",
			24: "\x8e\x73\xb0\xf7\xda\x0e\x64\x52\xc8\x10\xf3\x2b\x80\x90\x79\xe5\x62\xf8\xea\xd2\x52\x2c\x6b\x7b",
			32: "\x60\x3d\xeb\x10\x15\xca\x71\xbe\x2b\x73\xae\xf0\x85\x7d\x77\x81\x1f\x35\x2c\x07\x3b\x61\x08\xd7\x2d\x98\x10\xa3\x09\x14\xdf\xf4",
		}[size]
		for _, side := range routinetest.Sides {
			k := side(routinetest.Buffer(t, size), size)
			copy(k, key)
			enc, dec := side(routinetest.Buffer(t, 240), 240), side(routinetest.Buffer(t, 240), 240)
			for i := range enc {
				enc[i], dec[i] = 0xa5, 0xa5
			}
			rounds := 6 + size/4
			ExpandKeyCE(&k[0], rounds, (*[240]byte)(enc), (*[240]byte)(dec))
			if got := binary.BigEndian.Uint32(enc[236:]); size != 24 && got != last {
				t.Errorf("%d bytes: last word %08x, want %08x", size, got, last)
			}
			unused := bytes.Repeat([]byte{0xa5}, 16*(14-rounds))
			if !bytes.Equal(enc[:len(unused)], unused) || !bytes.Equal(dec[:len(unused)], unused) {
				t.Errorf("%d bytes: an unused slot was written", size)
			}
			if !bytes.Equal(enc[len(unused):][:16], k[:16]) || !bytes.Equal(dec[224:], k[:16]) || !bytes.Equal(dec[len(unused):][:16], enc[224:]) {
				t.Errorf("%d bytes: wrong outer round keys", size)
			}
		}
	}
}

func TestLengths(t *testing.T) {
	each(t, func(t *testing.T, r *routine, k *keys, rnd *rand.Rand) { r.TestLengths(t, k, rnd) })
}

func TestGuardPages(t *testing.T) {
	each(t, func(t *testing.T, r *routine, k *keys, rnd *rand.Rand) { r.TestGuardPages(t, k, rnd) })
}

// TestUnits has several data units in one call, between guard pages.
func TestUnits(t *testing.T) {
	require(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{16, 17, 31, 32, 48, 63, 64, 127, 128, 129, 512, 520} {
		for _, units := range []int{1, 2, 7, 8, 9, 17} {
			for _, keySize := range []int{16, 24, 32} {
				k := newKeys(rnd, keySize)
				n := units * size
				src, dst := routinetest.Buffer(t, n).Right(n), routinetest.Buffer(t, n).Right(n)
				for _, first := range []uint64{0, 1<<64 - 5, 0x0123456789abcdef} {
					for _, decrypt := range []bool{false, true} {
						routinetest.Fill(rnd, src)
						var want []byte
						for u := range units {
							var iv [16]byte
							binary.LittleEndian.PutUint64(iv[:], first+uint64(u))
							tweak := k.encryptTweak(iv[:])
							want = append(want, refXTS(k, src[u*size:][:size], &tweak, decrypt)...)
						}
						if decrypt {
							XTSDecUnitsCE(&k.dec, &k.tweak, k.rounds, &dst[0], &src[0], units, size, first)
						} else {
							XTSEncUnitsCE(&k.enc, &k.tweak, k.rounds, &dst[0], &src[0], units, size, first)
						}
						if !bytes.Equal(dst, want) {
							t.Fatalf("%d units of %d from %#x, decrypt %t: wrong", units, size, first, decrypt)
						}
					}
				}
			}
		}
	}
}
