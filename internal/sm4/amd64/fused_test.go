//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"fmt"
	"testing"

	"ucrypt/internal/cpu"
	"ucrypt/internal/guard"
)

// These are the routines that take bytes instead of blocks.

type ctsRoutine struct {
	name      string
	run       func(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
	reference func(rk *[32]uint32, src []byte, iv *[16]byte) []byte
	decrypts  bool
	needs     []cpu.Feature
}

var ctsRoutines = []ctsRoutine{
	{"CTSEncAESNIAVX", CTSEncAESNIAVX, refCTSEnc, false, avx},
	{"CTSDecAESNIAVX", CTSDecAESNIAVX, refCTSDec, true, avx},
	{"CTSDecAESNIAVX2", CTSDecAESNIAVX2, refCTSDec, true, avx2},
	{"CTSDecVAESAVX2", CTSDecVAESAVX2, refCTSDec, true, vaes},
	{"CTSEncGFNIAVX2", CTSEncGFNIAVX2, refCTSEnc, false, gfniAVX2},
	{"CTSDecGFNIAVX2", CTSDecGFNIAVX2, refCTSDec, true, gfniAVX2},
	{"CTSEncGFNIAVX512", CTSEncGFNIAVX512, refCTSEnc, false, gfniAVX512},
	{"CTSDecGFNIAVX512", CTSDecGFNIAVX512, refCTSDec, true, gfniAVX512},
}

type xtsRoutine struct {
	name   string
	run    func(rk, tk *[32]uint32, dst, src *byte, n, size int, tweaks *byte, flags int)
	stride int
	needs  []cpu.Feature
}

var xtsRoutines = []xtsRoutine{
	{"XTSAESNIAVX", XTSAESNIAVX, 16, avx},
	{"XTSAESNIAVX2", XTSAESNIAVX2, 32, avx2},
	{"XTSVAESAVX2", XTSVAESAVX2, 32, vaes},
	{"XTSGFNIAVX2", XTSGFNIAVX2, 32, gfniAVX2},
	{"XTSGFNIAVX512", XTSGFNIAVX512, 128, gfniAVX512},
}

// place copies src, so that it begins or ends at an inaccessible page.
func place(b *guard.Buffer, right bool, n int) []byte {
	if right {
		return b.Right(n)
	}
	return b.Left(n)
}

// TestCTS has all lengths up to several strides, in place and not, with buffers
// that begin and that end at guard pages.
func TestCTS(t *testing.T) {
	for _, r := range ctsRoutines {
		t.Run(r.name, func(t *testing.T) {
			require(t, r.needs)
			rnd := newRand(t)
			k := newKeys(rnd)
			rk, ref := &k.enc, &k.refEnc
			if r.decrypts {
				rk, ref = &k.dec, &k.refDec
			}
			const most = 16*150 + 7
			srcs, dsts, ivs := newBuffer(t, most), newBuffer(t, most), newBuffer(t, 16)
			check := func(n int) {
				for _, right := range []bool{false, true} {
					src, dst := place(srcs, right, n), place(dsts, right, n)
					iv := (*[16]byte)(place(ivs, right, 16))
					fill(rnd, src)
					fill(rnd, iv[:])
					start, input := *iv, bytes.Clone(src)
					want := r.reference(ref, src, iv)
					r.run(rk, &dst[0], &src[0], n, iv)
					if !bytes.Equal(dst, want) {
						t.Fatalf("%d bytes: %x, want %x", n, dst, want)
					}
					if *iv != start || !bytes.Equal(src, input) {
						t.Fatalf("%d bytes: iv or src was changed", n)
					}
					r.run(rk, &src[0], &src[0], n, iv)
					if !bytes.Equal(src, want) {
						t.Fatalf("%d bytes in place: %x, want %x", n, src, want)
					}
				}
			}
			for n := 17; n <= 16*40; n++ {
				check(n)
			}
			for n := 16*40 + 1; n <= most; n += 13 {
				check(n)
			}
		})
	}
}

// xtsCase is a call of an XTS routine.
type xtsCase struct {
	n, size     int
	own         bool // the routine encrypts the tweak
	gb, decrypt bool
}

func (c xtsCase) String() string {
	return fmt.Sprintf("%d bytes in units of %d, tweak key %v, GB/T %v, decrypt %v", c.n, c.size, c.own, c.gb, c.decrypt)
}

// TestXTS has units of all lengths up to several strides, and many units of all
// sorts of sizes, in place and not, with buffers that begin and that end at
// guard pages.
func TestXTS(t *testing.T) {
	for _, r := range xtsRoutines {
		t.Run(r.name, func(t *testing.T) {
			require(t, r.needs)
			rnd := newRand(t)
			data, tweak := newKeys(rnd), newKeys(rnd)
			const most = 16 * 600
			srcs, dsts, tws := newBuffer(t, most), newBuffer(t, most), newBuffer(t, most)
			check := func(c xtsCase) {
				rk, ref := &data.enc, &data.refEnc
				if c.decrypt {
					rk, ref = &data.dec, &data.refDec
				}
				flags := 0
				if c.decrypt {
					flags |= 1
				}
				if c.gb {
					flags |= 2
				}
				for _, right := range []bool{false, true} {
					src, dst := place(srcs, right, c.n), place(dsts, right, c.n)
					units := (c.n + c.size - 1) / c.size
					tw := place(tws, right, 16*units)
					fill(rnd, src)
					fill(rnd, tw)
					input, start := bytes.Clone(src), bytes.Clone(tw)
					var tk *[32]uint32
					var want []byte
					for i := range units {
						first := [16]byte(tw[16*i:])
						if c.own {
							tk = &tweak.enc
							first = refBlock(&tweak.refEnc, first[:])
						}
						want = append(want, refXTS(ref, src[i*c.size:min((i+1)*c.size, c.n)], first, c.gb, c.decrypt)...)
					}
					r.run(rk, tk, &dst[0], &src[0], c.n, c.size, &tw[0], flags)
					if !bytes.Equal(dst, want) {
						i := 0
						for dst[i] == want[i] {
							i++
						}
						t.Fatalf("%v: differs at %d", c, i)
					}
					if !bytes.Equal(src, input) {
						t.Fatalf("%v: src was changed", c)
					}
					if !c.own {
						last := tw[16*(units-1):]
						next := [16]byte(start[16*(units-1):])
						for i := (units - 1) * c.size; i < c.n; i += 16 {
							next = refDouble(next, c.gb)
						}
						if c.n%c.size%16 == 0 && c.size%16 == 0 && next != [16]byte(last) {
							t.Fatalf("%v: last tweak is %x, want %x", c, last, next)
						}
						copy(last, start[16*(units-1):])
					}
					if !bytes.Equal(tw, start) {
						t.Fatalf("%v: tweaks were changed", c)
					}
					r.run(rk, tk, &src[0], &src[0], c.n, c.size, &tw[0], flags)
					if !bytes.Equal(src, want) {
						t.Fatalf("%v: wrong in place", c)
					}
				}
			}
			all := func(c xtsCase) {
				for i := range 4 {
					c.gb, c.decrypt = i&1 == 1, i&2 == 2
					check(c)
				}
			}
			for n := 16; n <= 16*20; n++ {
				all(xtsCase{n: n, size: n, own: true})
			}
			for n := 1; n <= 2*r.stride+20; n++ {
				all(xtsCase{n: 16 * n, size: 16 * n, own: n%2 == 0})
			}
			for n := 16*20 + 1; n < 16*(2*r.stride+20); n += 13 {
				all(xtsCase{n: n, size: n, own: true})
			}
			for range 150 {
				size := 16 + rnd.IntN(16*40)
				if rnd.IntN(2) == 0 {
					size &^= 15
				}
				n := size*(1+rnd.IntN(16)) + rnd.IntN(size)
				if n > most {
					n = most - most%size
				}
				if n%size < 16 {
					n -= n % size
				}
				all(xtsCase{n: n, size: size})
			}
		})
	}
}

// TestMany has messages of all counts of blocks, some of them the same.
func TestMany(t *testing.T) {
	for _, r := range []struct {
		name  string
		lanes int
		run   func(rk *[32]uint32, lanes []*byte, blocks int)
		needs []cpu.Feature
	}{
		{"CBCEncMany16GFNIAVX2", 16, func(rk *[32]uint32, l []*byte, n int) { CBCEncMany16GFNIAVX2(rk, (*[48]*byte)(l), n) }, gfniAVX2},
		{"CBCEncMany32GFNIAVX2", 32, func(rk *[32]uint32, l []*byte, n int) { CBCEncMany32GFNIAVX2(rk, (*[96]*byte)(l), n) }, gfniAVX2},
		{"CBCEncMany16GFNIAVX512", 16, func(rk *[32]uint32, l []*byte, n int) { CBCEncMany16GFNIAVX512(rk, (*[48]*byte)(l), n) }, gfniAVX512},
		{"CBCEncMany32GFNIAVX512", 32, func(rk *[32]uint32, l []*byte, n int) { CBCEncMany32GFNIAVX512(rk, (*[96]*byte)(l), n) }, gfniAVX512},
	} {
		t.Run(r.name, func(t *testing.T) {
			require(t, r.needs)
			rnd := newRand(t)
			k := newKeys(rnd)
			buf := newBuffer(t, 16*20*32)
			for blocks := 1; blocks <= 20; blocks++ {
				for _, messages := range []int{1, 3, r.lanes - 1, r.lanes} {
					for _, inPlace := range []bool{false, true} {
						n := 16 * blocks
						var lanes []*byte
						var want, got [][]byte
						all := place(buf, blocks%2 == 0, n*messages)
						for i := range r.lanes {
							if i >= messages {
								lanes = append(lanes, lanes[:3]...)
								continue
							}
							src, dst := make([]byte, n), all[n*i:][:n]
							var iv [16]byte
							if inPlace {
								src = dst
							}
							fill(rnd, src)
							fill(rnd, iv[:])
							lanes = append(lanes, &dst[0], &src[0], &bytes.Clone(iv[:])[0])
							want = append(want, refCBCEnc(&k.refEnc, src, &iv))
							got = append(got, dst)
						}
						r.run(&k.enc, lanes, blocks)
						for i := range want {
							if !bytes.Equal(want[i], got[i]) {
								t.Fatalf("%d messages of %d blocks, in place %v: message %d is wrong", messages, blocks, inPlace, i)
							}
						}
					}
				}
			}
		})
	}
}
