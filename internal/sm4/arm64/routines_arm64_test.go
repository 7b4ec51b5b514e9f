//go:build !purego

package arm64

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"ucrypt/internal/cpu"
	"ucrypt/internal/guard"
	"ucrypt/internal/routinetest"
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

// encryption and decryption are the standard's.
func (k *keys) encryption() routinetest.Block { return routinetest.SM4(&k.refEnc) }
func (k *keys) decryption() routinetest.Block { return routinetest.SM4(&k.refDec) }

func newKeys(t *tier, r *rand.Rand) *keys {
	var key [16]byte
	k := new(keys)
	routinetest.Fill(r, key[:])
	t.expand(&key, &k.tweak, &k.decTweak)
	k.refTweak = routinetest.SM4Expand(&key)
	routinetest.Fill(r, key[:])
	t.expand(&key, &k.enc, &k.dec)
	k.refEnc = routinetest.SM4Expand(&key)
	k.refDec = routinetest.SM4Reverse(k.refEnc)
	return k
}

type routine = routinetest.Routine[keys]

// routines lists those of a tier.
func (t *tier) routines() (all []routine) {
	blocks := func(name string, f func(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte), want routinetest.Mode, decrypt bool) {
		all = append(all, routine{Name: t.name + "/" + name, Blocks: true, Min: 16,
			Run: func(k *keys, dst, src []byte, iv *[16]byte) {
				f(pick(decrypt, &k.dec, &k.enc), &dst[0], &src[0], len(src)/16, iv)
			},
			Want: func(k *keys, src []byte, iv *[16]byte) []byte {
				return want(pick(decrypt, k.decryption(), k.encryption()), src, iv)
			},
		})
	}
	ecb := func(rk *[32]uint32, dst, src *byte, n int, _ *[16]byte) { t.ecb(rk, dst, src, n) }
	blocks("ecb enc", ecb, routinetest.ECB, false)
	blocks("ecb dec", ecb, routinetest.ECB, true)
	blocks("cbc enc", t.cbcEnc, routinetest.CBCEncrypt, false)
	blocks("cbc dec", t.cbcDec, routinetest.CBCDecrypt, true)
	blocks("cfb enc", t.cfbEnc, routinetest.CFBEncrypt, false)
	blocks("cfb dec", t.cfbDec, routinetest.CFBDecrypt, false)
	blocks("ctr", t.ctr, routinetest.CTR32, false)
	bytes := func(name string, min int, run func(k *keys, dst, src []byte, iv *[16]byte), want func(k *keys, src []byte, iv *[16]byte) []byte) {
		all = append(all, routine{Name: t.name + "/" + name, Min: min, Run: run, Want: want})
	}
	if t.ctsEnc != nil {
		bytes("cts enc", 17,
			func(k *keys, dst, src []byte, iv *[16]byte) { t.ctsEnc(&k.enc, &dst[0], &src[0], len(src), iv) },
			func(k *keys, src []byte, iv *[16]byte) []byte { return routinetest.CTSEncrypt(k.encryption(), src, iv) })
		bytes("cts dec", 17,
			func(k *keys, dst, src []byte, iv *[16]byte) { t.ctsDec(&k.dec, &dst[0], &src[0], len(src), iv) },
			func(k *keys, src []byte, iv *[16]byte) []byte { return routinetest.CTSDecrypt(k.decryption(), src, iv) })
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
					tweak := routinetest.SM4Block(&k.refTweak, iv[:])
					return routinetest.XTS(pick(decrypt, k.decryption(), k.encryption()), src, &tweak, gb, decrypt)
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
					dst := routinetest.XTS(pick(decrypt, k.decryption(), k.encryption()), src, iv, gb, decrypt)
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
func each(t *testing.T, f func(t *testing.T, r *routine, k *keys, rnd *rand.Rand)) {
	for i := range tiers {
		if missing := cpu.Missing(tiers[i].needs); len(missing) > 0 {
			t.Run(tiers[i].name, func(t *testing.T) { t.Skip("not run: " + strings.Join(missing, "; ")) })
			continue
		}
		for _, r := range tiers[i].routines() {
			t.Run(r.Name, func(t *testing.T) {
				rnd := newRand(t)
				f(t, &r, newKeys(&tiers[i], rnd), rnd)
			})
		}
	}
}

func newRand(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(uint64(len(t.Name())), 6)) }

func TestLengths(t *testing.T) {
	each(t, func(t *testing.T, r *routine, k *keys, rnd *rand.Rand) { r.TestLengths(t, k, rnd) })
}

func TestGuardPages(t *testing.T) {
	each(t, func(t *testing.T, r *routine, k *keys, rnd *rand.Rand) { r.TestGuardPages(t, k, rnd) })
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
		key, enc, dec := routinetest.Buffer(t, 16), routinetest.Buffer(t, 128), routinetest.Buffer(t, 128)
		iv, data := routinetest.Buffer(t, 16), make([]byte, 16*13)
		for _, side := range routinetest.Sides {
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
				if k.dec != routinetest.SM4Reverse(k.enc) {
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
	each(t, func(t *testing.T, r *routine, k *keys, rnd *rand.Rand) {
		if !strings.HasSuffix(r.Name, "/ctr") {
			return
		}
		for n := 1; n <= 40; n++ {
			src, dst := make([]byte, 16*n), make([]byte, 16*n)
			var iv [16]byte
			routinetest.Fill(rnd, iv[:])
			binary.BigEndian.PutUint32(iv[12:], -uint32(n))
			if err := r.Check(k, dst, src, iv); err != nil {
				t.Fatalf("%d blocks: %v", n, err)
			}
			// Carries between the counter's bytes.
			binary.BigEndian.PutUint32(iv[12:], 0x00ffffff-uint32(n)/2)
			if err := r.Check(k, dst, src, iv); err != nil {
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
							routinetest.Fill(rnd, src)
							tweaks := make([]byte, 16*units)
							routinetest.Fill(rnd, tweaks)
							var want []byte
							wantTweaks := bytes.Clone(tweaks)
							for u, rest := 0, src; len(rest) > 0; u++ {
								size := min(len(rest), unit)
								tweak := (*[16]byte)(wantTweaks[16*u:])
								before := *tweak
								want = append(want, routinetest.XTS(pick(decrypt, k.decryption(), k.encryption()), rest[:size], tweak, gb, decrypt)...)
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
