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
	"ucrypt/internal/guard"
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
	fill(r, key)
	ExpandKeyCE(&key[0], k.rounds, &k.tweak, &k.dec)
	k.second, _ = aes.NewCipher(key)
	fill(r, key)
	ExpandKeyCE(&key[0], k.rounds, &k.enc, &k.dec)
	k.block, _ = aes.NewCipher(key)
	return k
}

// routine is a routine and its equal, both as a function of the message and of
// an iv, which they replace as the routine does.
type routine struct {
	name   string
	blocks bool // takes whole blocks only
	min    int  // bytes
	run    func(k *keys, dst, src []byte, iv *[16]byte)
	want   func(k *keys, src []byte, iv *[16]byte) []byte
}

var routines = []routine{
	{"ECBEncCE", true, 16,
		func(k *keys, dst, src []byte, _ *[16]byte) { ECBEncCE(&k.enc, k.rounds, &dst[0], &src[0], len(src)/16) },
		func(k *keys, src []byte, _ *[16]byte) []byte { return refECB(k.block.Encrypt, src) }},
	{"ECBDecCE", true, 16,
		func(k *keys, dst, src []byte, _ *[16]byte) { ECBDecCE(&k.dec, k.rounds, &dst[0], &src[0], len(src)/16) },
		func(k *keys, src []byte, _ *[16]byte) []byte { return refECB(k.block.Decrypt, src) }},
	{"CBCEncCE", true, 16,
		func(k *keys, dst, src []byte, iv *[16]byte) {
			CBCEncCE(&k.enc, k.rounds, &dst[0], &src[0], len(src)/16, iv)
		}, refCBCEnc},
	{"CBCDecCE", true, 16,
		func(k *keys, dst, src []byte, iv *[16]byte) {
			CBCDecCE(&k.dec, k.rounds, &dst[0], &src[0], len(src)/16, iv)
		}, refCBCDec},
	{"CTSEncCE", false, 17,
		func(k *keys, dst, src []byte, iv *[16]byte) {
			CTSEncCE(&k.enc, k.rounds, &dst[0], &src[0], len(src), iv)
		}, refCTSEnc},
	{"CTSDecCE", false, 17,
		func(k *keys, dst, src []byte, iv *[16]byte) {
			CTSDecCE(&k.dec, k.rounds, &dst[0], &src[0], len(src), iv)
		}, refCTSDec},
	{"XTSEncCE", false, 16,
		func(k *keys, dst, src []byte, iv *[16]byte) {
			XTSEncCE(&k.enc, &k.tweak, k.rounds, &dst[0], &src[0], len(src), iv)
		},
		func(k *keys, src []byte, iv *[16]byte) []byte {
			t := block(k.second.Encrypt, iv[:])
			return refXTS(k, src, &t, false)
		}},
	{"XTSDecCE", false, 16,
		func(k *keys, dst, src []byte, iv *[16]byte) {
			XTSDecCE(&k.dec, &k.tweak, k.rounds, &dst[0], &src[0], len(src), iv)
		},
		func(k *keys, src []byte, iv *[16]byte) []byte {
			t := block(k.second.Encrypt, iv[:])
			return refXTS(k, src, &t, true)
		}},
	// A unit that is continued: the tweak comes encrypted, and is stepped unless
	// there is a partial block.
	{"XTSEncCE rest", false, 16,
		func(k *keys, dst, src []byte, iv *[16]byte) {
			XTSEncCE(&k.enc, nil, k.rounds, &dst[0], &src[0], len(src), iv)
		},
		func(k *keys, src []byte, iv *[16]byte) []byte { return refRest(k, src, iv, false) }},
	{"XTSDecCE rest", false, 16,
		func(k *keys, dst, src []byte, iv *[16]byte) {
			XTSDecCE(&k.dec, nil, k.rounds, &dst[0], &src[0], len(src), iv)
		},
		func(k *keys, src []byte, iv *[16]byte) []byte { return refRest(k, src, iv, true) }},
}

func block(f func(dst, src []byte), src []byte) (dst [16]byte) {
	f(dst[:], src[:16])
	return dst
}

func xor(a [16]byte, b []byte) []byte {
	for i := range a {
		a[i] ^= b[i]
	}
	return a[:]
}

func refECB(f func(dst, src []byte), src []byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		b := block(f, src)
		dst = append(dst, b[:]...)
	}
	return dst
}

func refCBCEnc(k *keys, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		*iv = block(k.block.Encrypt, xor(*iv, src))
		dst = append(dst, iv[:]...)
	}
	return dst
}

func refCBCDec(k *keys, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		dst = append(dst, xor(block(k.block.Decrypt, src), iv[:])...)
		*iv = [16]byte(src)
	}
	return dst
}

// refCTSEnc is CBC-CS3 of the addendum to NIST SP 800-38A: CBC of the message
// filled up with zeros, its last two blocks swapped and the last one cut.
func refCTSEnc(k *keys, src []byte, iv *[16]byte) []byte {
	chain := *iv
	padded := append(bytes.Clone(src), make([]byte, -len(src)&15)...)
	c := refCBCEnc(k, padded, &chain)
	n := len(c)
	swapped := append(bytes.Clone(c[:n-32]), c[n-16:]...)
	return append(swapped, c[n-32:n-16]...)[:len(src)]
}

func refCTSDec(k *keys, src []byte, iv *[16]byte) []byte {
	chain := *iv
	tail := (len(src)-1)&15 + 1
	head := len(src) - tail - 16
	last := block(k.block.Decrypt, src[head:])
	stolen := append(bytes.Clone(src[head+16:]), last[tail:]...)
	dst := refCBCDec(k, append(bytes.Clone(src[:head]), stolen...), &chain)
	return append(dst, xor(last, stolen)[:tail]...)
}

// double multiplies a tweak by x.
func double(t [16]byte) (d [16]byte) {
	for i := range t {
		d[i] = t[i]<<1 | t[(i+15)%16]>>7
	}
	if d[0]&1 == 1 {
		d[0] ^= 0x86
	}
	return d
}

// refXTS is one data unit of XTS from the encrypted tweak t on; it replaces t
// by the tweak behind the last whole block.
func refXTS(k *keys, src []byte, t *[16]byte, decrypt bool) (dst []byte) {
	crypt := k.block.Encrypt
	if decrypt {
		crypt = k.block.Decrypt
	}
	masked := func(src []byte, t [16]byte) []byte {
		return xor(block(crypt, xor([16]byte(src), t[:])), t[:])
	}
	for ; len(src) >= 16 && (len(src)%16 == 0 || len(src) > 32); src = src[16:] {
		dst = append(dst, masked(src, *t)...)
		*t = double(*t)
	}
	if len(src) == 0 {
		return dst
	}
	first, second := *t, double(*t)
	if decrypt {
		first, second = second, first
	}
	c := masked(src, first)
	dst = append(dst, masked(append(bytes.Clone(src[16:]), c[len(src)-16:]...), second)...)
	return append(dst, c[:len(src)-16]...)
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
			t.Run(fmt.Sprint(routines[i].name, "/", 8*size), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(uint64(size), uint64(i)))
				f(t, &routines[i], newKeys(rnd, size), rnd)
			})
		}
	}
}

func fill(r *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
}

// lengths are the message lengths in bytes that r takes: 1 to 70 blocks and some
// more, or every length from r.min to 300 and some more.
func (r *routine) lengths() (n []int) {
	if r.blocks {
		for b := 1; b <= 70; b++ {
			n = append(n, 16*b)
		}
		return append(n, 16*127, 16*128, 16*129, 4096)
	}
	for b := r.min; b <= 300; b++ {
		n = append(n, b)
	}
	return append(n, 511, 512, 513, 1024, 1420, 4095, 4096, 4097)
}

// check runs r on the message in src and compares the output, the iv and, unless
// src is dst, the input with what they should be.
func (r *routine) check(k *keys, dst, src []byte, iv [16]byte) error {
	input, before := bytes.Clone(src), *k
	wantIV := iv
	want := r.want(k, src, &wantIV)
	r.run(k, dst, src, &iv)
	if !bytes.Equal(dst, want) {
		i := 0
		for dst[i] == want[i] {
			i++
		}
		return fmt.Errorf("byte %d is wrong:\n%x, want\n%x", i, dst[i/16*16:], want[i/16*16:])
	}
	if iv != wantIV {
		return fmt.Errorf("iv is %x, want %x", iv, wantIV)
	}
	if &dst[0] != &src[0] && !bytes.Equal(src, input) {
		return fmt.Errorf("src was changed")
	}
	if *k != before {
		return fmt.Errorf("the round keys were changed")
	}
	return nil
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
		for _, side := range []func(*guard.Buffer, int) []byte{(*guard.Buffer).Left, (*guard.Buffer).Right} {
			k := side(newBuffer(t, size), size)
			copy(k, key)
			enc, dec := side(newBuffer(t, 240), 240), side(newBuffer(t, 240), 240)
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

// TestLengths has every length, in place and not, at offsets from an aligned
// address, with poison around dst.
func TestLengths(t *testing.T) {
	each(t, func(t *testing.T, r *routine, k *keys, rnd *rand.Rand) {
		const margin = 64
		for i, n := range r.lengths() {
			src := make([]byte, n+16)[i*7%16:][:n]
			buf := make([]byte, margin+n+margin+16)
			fill(rnd, src)
			fill(rnd, buf)
			poison := bytes.Clone(buf)
			var iv [16]byte
			fill(rnd, iv[:])
			at := margin + i*3%16
			dst := buf[at:][:n]
			if err := r.check(k, dst, src, iv); err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
			copy(dst, src)
			if err := r.check(k, dst, dst, iv); err != nil {
				t.Fatalf("%d bytes in place: %v", n, err)
			}
			if !bytes.Equal(buf[:at], poison[:at]) || !bytes.Equal(buf[at+n:], poison[at+n:]) {
				t.Fatalf("%d bytes: wrote outside dst", n)
			}
		}
	})
}

func newBuffer(t *testing.T, n int) *guard.Buffer {
	t.Helper()
	b, err := guard.New(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// TestGuardPages has src and dst begin right behind an inaccessible page and end
// right before one.
func TestGuardPages(t *testing.T) {
	if !guard.Available {
		t.Skip("not run: no guard pages on this system")
	}
	each(t, func(t *testing.T, r *routine, k *keys, rnd *rand.Rand) {
		in, out := newBuffer(t, 4097), newBuffer(t, 4097)
		sides := []func(*guard.Buffer, int) []byte{(*guard.Buffer).Left, (*guard.Buffer).Right}
		for _, n := range r.lengths() {
			for s, side := range sides {
				src, dst := side(in, n), sides[(s+n)%2](out, n)
				fill(rnd, src)
				if err := r.check(k, dst, src, [16]byte{}); err != nil {
					t.Fatalf("%d bytes: %v", n, err)
				}
				if err := r.check(k, src, src, [16]byte{1}); err != nil {
					t.Fatalf("%d bytes in place: %v", n, err)
				}
			}
		}
	})
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
				src, dst := newBuffer(t, n).Right(n), newBuffer(t, n).Right(n)
				for _, first := range []uint64{0, 1<<64 - 5, 0x0123456789abcdef} {
					for _, decrypt := range []bool{false, true} {
						fill(rnd, src)
						var want []byte
						for u := range units {
							var iv [16]byte
							binary.LittleEndian.PutUint64(iv[:], first+uint64(u))
							tweak := block(k.second.Encrypt, iv[:])
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
