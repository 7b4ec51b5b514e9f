//go:build !purego

package arm64

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"ucrypt/internal/cpu"
	"ucrypt/internal/guard"
)

// tier is a set of routines that share a form of the round keys.
type tier struct {
	name   string
	needs  []cpu.Feature
	expand func(key *[16]byte, enc, dec *[32]uint32)

	ecb                                 func(rk *[32]uint32, dst, src *byte, n int)
	cbcEnc, cbcDec, cfbEnc, cfbDec, ctr func(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
	ctsEnc, ctsDec                      func(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
	xts                                 func(rk, tk *[32]uint32, dst, src *byte, n, unit int, tweaks *byte, gb, decrypt bool)
}

var tiers = []tier{
	{
		name: "ce", needs: []cpu.Feature{cpu.ASIMD, cpu.SM4}, expand: ExpandKeyCE,
		ecb: ECBCE, cbcEnc: CBCEncCE, cbcDec: CBCDecCE, cfbEnc: CFBEncCE, cfbDec: CFBDecCE, ctr: CTRCE,
		ctsEnc: CTSEncCE, ctsDec: CTSDecCE, xts: XTSCE,
	},
	pathTier("neon", NEON, []cpu.Feature{cpu.ASIMD}),
	pathTier("aese", AESE, []cpu.Feature{cpu.ASIMD, cpu.AES}),
}

// pathTier adapts a Path's functions to the form of the assembly.
func pathTier(name string, p Path, needs []cpu.Feature) tier {
	type mode = func(p Path, rk *[32]uint32, dst, src []byte, iv *[16]byte)
	chained := func(f mode) func(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte) {
		return func(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte) {
			f(p, rk, unsafe.Slice(dst, 16*n), unsafe.Slice(src, 16*n), iv)
		}
	}
	return tier{
		name: name, needs: needs, expand: p.ExpandKey,
		ecb: func(rk *[32]uint32, dst, src *byte, n int) {
			p.ECB(rk, unsafe.Slice(dst, 16*n), unsafe.Slice(src, 16*n))
		},
		cbcEnc: chained(Path.CBCEnc), cbcDec: chained(Path.CBCDec),
		cfbEnc: chained(Path.CFBEnc), cfbDec: chained(Path.CFBDec), ctr: chained(Path.CTR),
	}
}

// keys holds two keys in the form of a tier and in the standard's.
type keys struct {
	enc, dec, refEnc, refDec  [32]uint32
	tweak, refTweak, decTweak [32]uint32
}

func newKeys(t *tier, r *rand.Rand) *keys {
	var key [16]byte
	k := new(keys)
	fill(r, key[:])
	t.expand(&key, &k.tweak, &k.decTweak)
	k.refTweak = refExpand(&key)
	fill(r, key[:])
	t.expand(&key, &k.enc, &k.dec)
	k.refEnc = refExpand(&key)
	k.refDec = reverse(k.refEnc)
	return k
}

// routine is a routine and its equal in reference_arm64_test.go, both as a
// function of the message and of an iv, which they replace as the routine does.
type routine struct {
	name   string
	tier   *tier
	blocks bool // takes whole blocks only
	min    int  // bytes
	run    func(k *keys, dst, src []byte, iv *[16]byte)
	want   func(k *keys, src []byte, iv *[16]byte) []byte
}

type reference = func(rk *[32]uint32, src []byte, iv *[16]byte) []byte

// routines lists those of a tier.
func (t *tier) routines() (all []routine) {
	blocks := func(name string, f func(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte), want reference, decrypt bool) {
		all = append(all, routine{t.name + "/" + name, t, true, 16,
			func(k *keys, dst, src []byte, iv *[16]byte) {
				f(pick(decrypt, &k.dec, &k.enc), &dst[0], &src[0], len(src)/16, iv)
			},
			func(k *keys, src []byte, iv *[16]byte) []byte {
				return want(pick(decrypt, &k.refDec, &k.refEnc), src, iv)
			},
		})
	}
	ecb := func(rk *[32]uint32, dst, src *byte, n int, _ *[16]byte) { t.ecb(rk, dst, src, n) }
	blocks("ecb enc", ecb, refECB, false)
	blocks("ecb dec", ecb, refECB, true)
	blocks("cbc enc", t.cbcEnc, refCBCEnc, false)
	blocks("cbc dec", t.cbcDec, refCBCDec, true)
	blocks("cfb enc", t.cfbEnc, refCFBEnc, false)
	blocks("cfb dec", t.cfbDec, refCFBDec, false)
	blocks("ctr", t.ctr, refCTR, false)
	bytes := func(name string, min int, run func(k *keys, dst, src []byte, iv *[16]byte), want func(k *keys, src []byte, iv *[16]byte) []byte) {
		all = append(all, routine{t.name + "/" + name, t, false, min, run, want})
	}
	if t.ctsEnc != nil {
		bytes("cts enc", 17,
			func(k *keys, dst, src []byte, iv *[16]byte) { t.ctsEnc(&k.enc, &dst[0], &src[0], len(src), iv) },
			func(k *keys, src []byte, iv *[16]byte) []byte { return refCTSEnc(&k.refEnc, src, iv) })
		bytes("cts dec", 17,
			func(k *keys, dst, src []byte, iv *[16]byte) { t.ctsDec(&k.dec, &dst[0], &src[0], len(src), iv) },
			func(k *keys, src []byte, iv *[16]byte) []byte { return refCTSDec(&k.refDec, src, iv) })
	}
	if t.xts == nil {
		return all
	}
	for _, gb := range []bool{false, true} {
		for _, decrypt := range []bool{false, true} {
			name := "xts"
			if gb {
				name = "xts-gb"
			}
			if decrypt {
				name += " dec"
			} else {
				name += " enc"
			}
			bytes(name, 16,
				func(k *keys, dst, src []byte, iv *[16]byte) {
					t.xts(pick(decrypt, &k.dec, &k.enc), &k.tweak, &dst[0], &src[0], len(src), len(src), &iv[0], gb, decrypt)
				},
				func(k *keys, src []byte, iv *[16]byte) []byte {
					tweak := refBlock(&k.refTweak, iv[:])
					return refXTS(pick(decrypt, &k.refDec, &k.refEnc), src, &tweak, gb, decrypt)
				})
			// A unit that is continued: the tweak comes encrypted and is stepped.
			bytes(name+" rest", 16,
				func(k *keys, dst, src []byte, iv *[16]byte) {
					t.xts(pick(decrypt, &k.dec, &k.enc), nil, &dst[0], &src[0], len(src), len(src), &iv[0], gb, decrypt)
					if len(src)%16 != 0 {
						*iv = [16]byte{}
					}
				},
				func(k *keys, src []byte, iv *[16]byte) []byte {
					dst := refXTS(pick(decrypt, &k.refDec, &k.refEnc), src, iv, gb, decrypt)
					if len(src)%16 != 0 {
						*iv = [16]byte{}
					}
					return dst
				})
		}
	}
	return all
}

func pick[T any](second bool, b, a T) T {
	if second {
		return b
	}
	return a
}

// each runs f on every routine that this processor has.
func each(t *testing.T, f func(t *testing.T, r routine)) {
	for i := range tiers {
		if missing := cpu.Missing(tiers[i].needs); len(missing) > 0 {
			t.Run(tiers[i].name, func(t *testing.T) { t.Skip("not run: " + strings.Join(missing, "; ")) })
			continue
		}
		for _, r := range tiers[i].routines() {
			t.Run(r.name, func(t *testing.T) { f(t, r) })
		}
	}
}

func newRand(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(uint64(len(t.Name())), 6)) }

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
		return append(n, 16*127, 16*128, 16*129, 4096, 16<<10+16)
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

// TestLengths has every length, in place and not, at offsets from an aligned
// address, with poison around dst.
func TestLengths(t *testing.T) {
	each(t, func(t *testing.T, r routine) {
		rnd := newRand(t)
		k := newKeys(r.tier, rnd)
		const margin = 64
		for i, n := range r.lengths() {
			src := make([]byte, n+16)[i*7%16:][:n]
			buf := make([]byte, margin+n+margin+16)
			fill(rnd, src)
			fill(rnd, buf)
			poison := bytes.Clone(buf)
			var iv [16]byte
			fill(rnd, iv[:])
			iv[12] &= 0x7f
			at := margin + i*3%16
			dst := buf[at:][:n]
			if err := r.check(k, dst, src, iv); err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
			if !bytes.Equal(buf[:at], poison[:at]) || !bytes.Equal(buf[at+n:], poison[at+n:]) {
				t.Fatalf("%d bytes: wrote outside dst", n)
			}
			copy(dst, src)
			if err := r.check(k, dst, dst, iv); err != nil {
				t.Fatalf("%d bytes in place: %v", n, err)
			}
			if !bytes.Equal(buf[:at], poison[:at]) || !bytes.Equal(buf[at+n:], poison[at+n:]) {
				t.Fatalf("%d bytes in place: wrote outside dst", n)
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
	each(t, func(t *testing.T, r routine) {
		rnd := newRand(t)
		k := newKeys(r.tier, rnd)
		in, out := newBuffer(t, 4096+1), newBuffer(t, 4096+1)
		sides := []func(*guard.Buffer, int) []byte{(*guard.Buffer).Left, (*guard.Buffer).Right}
		for _, n := range r.lengths() {
			if n > 4097 {
				continue
			}
			for s, side := range sides {
				src, dst := side(in, n), sides[(s+n)%2](out, n)
				fill(rnd, src)
				var iv [16]byte
				if err := r.check(k, dst, src, iv); err != nil {
					t.Fatalf("%d bytes: %v", n, err)
				}
				if err := r.check(k, src, src, iv); err != nil {
					t.Fatalf("%d bytes in place: %v", n, err)
				}
			}
		}
	})
}

// TestKeysAndIV has the schedule and the iv between guard pages.
func TestKeysAndIV(t *testing.T) {
	if !guard.Available {
		t.Skip("not run: no guard pages on this system")
	}
	for i := range tiers {
		tier := &tiers[i]
		if len(cpu.Missing(tier.needs)) > 0 {
			continue
		}
		key, enc, dec := newBuffer(t, 16), newBuffer(t, 128), newBuffer(t, 128)
		iv, data := newBuffer(t, 16), make([]byte, 16*13)
		for _, side := range []func(*guard.Buffer, int) []byte{(*guard.Buffer).Left, (*guard.Buffer).Right} {
			e, d := words(side(enc, 128)), words(side(dec, 128))
			tier.expand((*[16]byte)(side(key, 16)), e, d)
			v := (*[16]byte)(side(iv, 16))
			tier.ecb(e, &data[0], &data[0], 13)
			tier.ecb(d, &data[0], &data[0], 13)
			if !bytes.Equal(data, make([]byte, len(data))) {
				t.Errorf("%s: decryption is not the inverse of encryption", tier.name)
			}
			for _, f := range []func(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte){tier.cbcEnc, tier.cbcDec, tier.cfbEnc, tier.cfbDec, tier.ctr} {
				f(e, &data[0], &data[0], 13, v)
			}
			clear(data)
		}
	}
}

func words(b []byte) *[32]uint32 { return (*[32]uint32)(unsafe.Pointer(&b[0])) }

// TestExpandKey compares the round keys, which but for tier aese are the standard's.
func TestExpandKey(t *testing.T) {
	for i := range tiers {
		tier := &tiers[i]
		t.Run(tier.name, func(t *testing.T) {
			if missing := cpu.Missing(tier.needs); len(missing) > 0 {
				t.Skip("not run: " + strings.Join(missing, "; "))
			}
			r := newRand(t)
			for range 200 {
				k := newKeys(tier, r)
				if k.dec != reverse(k.enc) {
					t.Fatal("dec is not enc in reverse order")
				}
				if tier.name != "aese" && k.enc != k.refEnc {
					t.Fatalf("enc is %08x, want %08x", k.enc, k.refEnc)
				}
			}
		})
	}
}

// TestCounter has counters whose low 32 bits reach their end with the last
// block, and whose upper parts must not be touched.
func TestCounter(t *testing.T) {
	each(t, func(t *testing.T, r routine) {
		if !strings.HasSuffix(r.name, "/ctr") {
			return
		}
		rnd := newRand(t)
		k := newKeys(r.tier, rnd)
		for n := 1; n <= 40; n++ {
			src, dst := make([]byte, 16*n), make([]byte, 16*n)
			var iv [16]byte
			fill(rnd, iv[:])
			binary.BigEndian.PutUint32(iv[12:], -uint32(n))
			if err := r.check(k, dst, src, iv); err != nil {
				t.Fatalf("%d blocks: %v", n, err)
			}
			// Carries between the counter's bytes.
			binary.BigEndian.PutUint32(iv[12:], 0x00ffffff-uint32(n)/2)
			if err := r.check(k, dst, src, iv); err != nil {
				t.Fatalf("%d blocks: %v", n, err)
			}
		}
	})
}

// TestUnits has several data units in one call.
func TestUnits(t *testing.T) {
	for i := range tiers {
		tier := &tiers[i]
		if tier.xts == nil {
			continue
		}
		t.Run(tier.name, func(t *testing.T) {
			if missing := cpu.Missing(tier.needs); len(missing) > 0 {
				t.Skip("not run: " + strings.Join(missing, "; "))
			}
			rnd := newRand(t)
			k := newKeys(tier, rnd)
			for _, unit := range []int{16, 17, 31, 32, 33, 48, 63, 64, 127, 128, 129, 160, 512, 520} {
				for _, units := range []int{1, 2, 3, 7} {
					for _, short := range []int{0, 1, 15, 16, 17, unit - 16} {
						n := unit*units - short
						if short > unit-16 {
							continue
						}
						for mode := range 4 {
							gb, decrypt := mode&1 == 1, mode&2 == 2
							src, dst := make([]byte, n), make([]byte, n)
							fill(rnd, src)
							tweaks := make([]byte, 16*units)
							fill(rnd, tweaks)
							var want []byte
							wantTweaks := bytes.Clone(tweaks)
							for u, rest := 0, src; len(rest) > 0; u++ {
								size := min(len(rest), unit)
								tweak := (*[16]byte)(wantTweaks[16*u:])
								before := *tweak
								want = append(want, refXTS(pick(decrypt, &k.refDec, &k.refEnc), rest[:size], tweak, gb, decrypt)...)
								if size%16 != 0 {
									*tweak = before
								}
								rest = rest[size:]
							}
							tier.xts(pick(decrypt, &k.dec, &k.enc), nil, &dst[0], &src[0], n, unit, &tweaks[0], gb, decrypt)
							if !bytes.Equal(dst, want) || !bytes.Equal(tweaks, wantTweaks) {
								t.Fatalf("%d units of %d less %d, gb %t, decrypt %t: wrong", units, unit, short, gb, decrypt)
							}
						}
					}
				}
			}
		})
	}
}
