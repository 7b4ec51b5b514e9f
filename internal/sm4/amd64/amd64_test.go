//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"ucrypt/internal/cpu"
	"ucrypt/internal/guard"
)

// routine is one assembly routine and its equal in reference_test.go.
type routine struct {
	name      string
	run       func(rk *[32]uint32, dst, src *byte, blocks int, iv *[16]byte)
	reference func(rk *[32]uint32, src []byte, iv *[16]byte) []byte
	decrypts  bool // wants the decryption schedule
	hasIV     bool
	stride    int // blocks of the main loop
	needs     []cpu.Feature
}

type ecbFunc func(rk *[32]uint32, dst, src *byte, blocks int)

func noIV(f ecbFunc) func(rk *[32]uint32, dst, src *byte, blocks int, iv *[16]byte) {
	return func(rk *[32]uint32, dst, src *byte, blocks int, _ *[16]byte) { f(rk, dst, src, blocks) }
}

// blocks does many blocks with a routine for one.
func blocks(f func(rk *[32]uint32, dst, src *byte)) ecbFunc {
	return func(rk *[32]uint32, dst, src *byte, blocks int) {
		for i := range blocks {
			f(rk, (*byte)(unsafe.Add(unsafe.Pointer(dst), 16*i)), (*byte)(unsafe.Add(unsafe.Pointer(src), 16*i)))
		}
	}
}

var (
	avx        = []cpu.Feature{cpu.AES, cpu.AVX}
	avx2       = []cpu.Feature{cpu.AES, cpu.AVX, cpu.AVX2}
	vaes       = []cpu.Feature{cpu.AES, cpu.AVX, cpu.AVX2, cpu.VAES, cpu.VPCLMULQDQ}
	gfniAVX2   = []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.GFNI, cpu.VPCLMULQDQ}
	gfniAVX512 = []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.GFNI, cpu.VPCLMULQDQ, cpu.AVX512}
)

var routines = []routine{
	{"ECBAESNIAVX", noIV(ECBAESNIAVX), refECB, false, false, 16, avx},
	{"CBCDecAESNIAVX", CBCDecAESNIAVX, refCBCDec, true, true, 16, avx},
	{"CFBDecAESNIAVX", CFBDecAESNIAVX, refCFBDec, false, true, 16, avx},
	{"CTRAESNIAVX", CTRAESNIAVX, refCTR, false, true, 16, avx},
	{"BlockAESNIAVX", noIV(blocks(BlockAESNIAVX)), refECB, false, false, 1, avx},
	{"CBCEncAESNIAVX", CBCEncAESNIAVX, refCBCEnc, false, true, 1, avx},
	{"CFBEncAESNIAVX", CFBEncAESNIAVX, refCFBEnc, false, true, 1, avx},
	{"ECBAESNIAVX2", noIV(ECBAESNIAVX2), refECB, false, false, 32, avx2},
	{"CBCDecAESNIAVX2", CBCDecAESNIAVX2, refCBCDec, true, true, 32, avx2},
	{"CFBDecAESNIAVX2", CFBDecAESNIAVX2, refCFBDec, false, true, 32, avx2},
	{"CTRAESNIAVX2", CTRAESNIAVX2, refCTR, false, true, 32, avx2},
	{"ECBVAESAVX2", noIV(ECBVAESAVX2), refECB, false, false, 32, vaes},
	{"CBCDecVAESAVX2", CBCDecVAESAVX2, refCBCDec, true, true, 32, vaes},
	{"CFBDecVAESAVX2", CFBDecVAESAVX2, refCFBDec, false, true, 32, vaes},
	{"CTRVAESAVX2", CTRVAESAVX2, refCTR, false, true, 32, vaes},
	{"ECBGFNIAVX2", noIV(ECBGFNIAVX2), refECB, false, false, 32, gfniAVX2},
	{"CBCDecGFNIAVX2", CBCDecGFNIAVX2, refCBCDec, true, true, 32, gfniAVX2},
	{"CFBDecGFNIAVX2", CFBDecGFNIAVX2, refCFBDec, false, true, 32, gfniAVX2},
	{"CTRGFNIAVX2", CTRGFNIAVX2, refCTR, false, true, 32, gfniAVX2},
	{"BlockGFNIAVX2", noIV(blocks(BlockGFNIAVX2)), refECB, false, false, 1, gfniAVX2},
	{"CBCEncGFNIAVX2", CBCEncGFNIAVX2, refCBCEnc, false, true, 1, gfniAVX2},
	{"CFBEncGFNIAVX2", CFBEncGFNIAVX2, refCFBEnc, false, true, 1, gfniAVX2},
	{"ECBGFNIAVX512", noIV(ECBGFNIAVX512), refECB, false, false, 128, gfniAVX512},
	{"CBCDecGFNIAVX512", CBCDecGFNIAVX512, refCBCDec, true, true, 128, gfniAVX512},
	{"CFBDecGFNIAVX512", CFBDecGFNIAVX512, refCFBDec, false, true, 128, gfniAVX512},
	{"CTRGFNIAVX512", CTRGFNIAVX512, refCTR, false, true, 128, gfniAVX512},
	{"BlockGFNIAVX512", noIV(blocks(BlockGFNIAVX512)), refECB, false, false, 1, gfniAVX512},
	{"CBCEncGFNIAVX512", CBCEncGFNIAVX512, refCBCEnc, false, true, 1, gfniAVX512},
	{"CFBEncGFNIAVX512", CFBEncGFNIAVX512, refCFBEnc, false, true, 1, gfniAVX512},
}

func require(t testing.TB, features []cpu.Feature) {
	t.Helper()
	if missing := cpu.Missing(features); len(missing) > 0 {
		t.Skip("not run: " + strings.Join(missing, "; "))
	}
}

// each runs f on every routine that this processor has.
func each(t *testing.T, f func(t *testing.T, r routine)) {
	for _, r := range routines {
		t.Run(r.name, func(t *testing.T) {
			require(t, r.needs)
			f(t, r)
		})
	}
}

func newRand(t testing.TB) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(len(t.Name())), 4))
}

func fill(r *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
}

// keys holds one key in the routines' form and in the standard's.
type keys struct{ enc, dec, refEnc, refDec [32]uint32 }

func newKeys(r *rand.Rand) *keys {
	var key [16]byte
	fill(r, key[:])
	k := new(keys)
	k.refEnc = refExpand(&key)
	k.refDec = reverse(k.refEnc)
	k.enc, k.dec = folded(k.refEnc), folded(k.refDec)
	return k
}

// check runs a routine on buffers with the input in src and compares the output,
// the iv and, unless src is dst, the input with what they should be.
func (k *keys) check(r routine, dst, src []byte, iv [16]byte) error {
	rk, ref := &k.enc, &k.refEnc
	if r.decrypts {
		rk, ref = &k.dec, &k.refDec
	}
	input := bytes.Clone(src)
	wantIV := iv
	want := r.reference(ref, src, &wantIV)
	before := *rk
	r.run(rk, &dst[0], &src[0], len(src)/16, &iv)
	for i := 0; i < len(want); i += 16 {
		if !bytes.Equal(dst[i:i+16], want[i:i+16]) {
			return fmt.Errorf("block %d is %x, want %x", i/16, dst[i:i+16], want[i:i+16])
		}
	}
	if iv != wantIV {
		return fmt.Errorf("iv is %x, want %x", iv, wantIV)
	}
	if &dst[0] != &src[0] && !bytes.Equal(src, input) {
		return fmt.Errorf("src was changed")
	}
	if *rk != before {
		return fmt.Errorf("the round keys were changed")
	}
	return nil
}

// fieldBasis is the change of basis of the round keys, written out on its own.
func fieldBasis(x byte) (y byte) {
	a1 := uint64(0x4c287db91a22505d)
	for i := range 8 {
		y |= byte(bits.OnesCount8(byte(a1>>(56-8*i))&x)&1) << i
	}
	return y
}

// expansions are the key expansions; the schedules are the same.
var expansions = []struct {
	name   string
	expand func(key *[16]byte, enc, dec *[32]uint32)
	needs  []cpu.Feature
}{
	{"ExpandKeyAESNI", ExpandKeyAESNI, avx},
	{"ExpandKeyGFNI", ExpandKeyGFNI, gfniAVX2},
}

func TestExpandKey(t *testing.T) {
	for _, x := range expansions {
		t.Run(x.name, func(t *testing.T) {
			require(t, x.needs)
			r := newRand(t)
			for range 200 {
				var key [16]byte
				fill(r, key[:])
				var enc, dec [32]uint32
				x.expand(&key, &enc, &dec)
				if dec != reverse(enc) {
					t.Fatal("dec is not enc in reverse order")
				}
				if want := folded(refExpand(&key)); enc != want {
					t.Fatalf("round keys are %08x, want %08x", enc, want)
				}
			}
		})
	}
}

// folded puts round keys into the routines' form.
func folded(rk [32]uint32) (f [32]uint32) {
	for i, w := range rk {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], w)
		for j := range b {
			b[j] = fieldBasis(b[j]) ^ 0x3e
		}
		f[i] = binary.LittleEndian.Uint32(b[:])
	}
	return f
}

// TestExpandKeyBounds has key and schedules end and begin at a guard page.
func TestExpandKeyBounds(t *testing.T) {
	for _, x := range expansions {
		t.Run(x.name, func(t *testing.T) {
			require(t, x.needs)
			key, enc, dec := newBuffer(t, 16), newBuffer(t, 128), newBuffer(t, 128)
			fill(newRand(t), key.Right(16))
			copy(key.Left(16), key.Right(16))
			want := folded(refExpand((*[16]byte)(key.Left(16))))
			for _, side := range []func(*guard.Buffer, int) []byte{(*guard.Buffer).Left, (*guard.Buffer).Right} {
				e, d := words(side(enc, 128)), words(side(dec, 128))
				x.expand((*[16]byte)(side(key, 16)), e, d)
				if *e != want || *d != reverse(want) {
					t.Error("wrong schedule")
				}
			}
		})
	}
}

// TestBlocks has every number of blocks up to several times the widest stride,
// and some around larger multiples, in place and not, with poison around dst.
func TestBlocks(t *testing.T) {
	each(t, func(t *testing.T, r routine) {
		rnd := newRand(t)
		k := newKeys(rnd)
		var counts []int
		for n := 1; n <= 100; n++ {
			counts = append(counts, n)
		}
		for m := 5; m <= 10; m++ {
			counts = append(counts, m*r.stride-1, m*r.stride, m*r.stride+1)
		}
		counts = append(counts, 1024)
		for _, n := range counts {
			const margin = 64
			src := make([]byte, 16*n)
			buf := make([]byte, margin+16*n+margin)
			fill(rnd, src)
			fill(rnd, buf)
			poison := bytes.Clone(buf)
			var iv [16]byte
			fill(rnd, iv[:])
			iv[12] &= 0x7f
			dst := buf[margin:][:16*n]
			intact := func() bool {
				return bytes.Equal(buf[:margin], poison[:margin]) && bytes.Equal(buf[margin+16*n:], poison[margin+16*n:])
			}
			if err := k.check(r, dst, src, iv); err != nil {
				t.Fatalf("%d blocks: %v", n, err)
			}
			if !intact() {
				t.Fatalf("%d blocks: wrote outside of dst", n)
			}
			copy(dst, src)
			if err := k.check(r, dst, dst, iv); err != nil {
				t.Fatalf("%d blocks in place: %v", n, err)
			}
			if !intact() {
				t.Fatalf("%d blocks in place: wrote outside of dst", n)
			}
		}
	})
}

// TestNoBlocks checks that nothing is read or written for no blocks.
func TestNoBlocks(t *testing.T) {
	each(t, func(t *testing.T, r routine) {
		iv := [16]byte{1, 2, 3}
		r.run(&[32]uint32{}, nil, nil, 0, &iv)
		if iv != [16]byte{1, 2, 3} {
			t.Errorf("iv is %x", iv)
		}
	})
}

// TestOffsets moves src and dst through all places within a cache line.
func TestOffsets(t *testing.T) {
	each(t, func(t *testing.T, r routine) {
		rnd := newRand(t)
		k := newKeys(rnd)
		for off := range 64 {
			for _, n := range []int{1, 3, 7, r.stride + 1, 2*r.stride + 13} {
				src := make([]byte, 64+16*n)[off:][:16*n]
				dst := make([]byte, 64+16*n)[rnd.IntN(64):][:16*n]
				fill(rnd, src)
				var iv [16]byte
				fill(rnd, iv[:])
				iv[12] &= 0x7f
				if err := k.check(r, dst, src, iv); err != nil {
					t.Fatalf("%d blocks at offset %d: %v", n, off, err)
				}
				if err := k.check(r, src, src, iv); err != nil {
					t.Fatalf("%d blocks at offset %d, in place: %v", n, off, err)
				}
			}
		}
	})
}

func newBuffer(t *testing.T, n int) *guard.Buffer {
	b, err := guard.New(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// words is b, 128 bytes of it, as a schedule.
func words(b []byte) *[32]uint32 { return (*[32]uint32)(unsafe.Pointer(&b[:128][0])) }

// TestGuardPages has src, dst, iv and the round keys begin, and then end, at an
// inaccessible page.
func TestGuardPages(t *testing.T) {
	if !guard.Available {
		t.Skip("not run: no guard pages on this system")
	}
	sides := map[string]func(*guard.Buffer, int) []byte{"left": (*guard.Buffer).Left, "right": (*guard.Buffer).Right}
	each(t, func(t *testing.T, r routine) {
		rnd := newRand(t)
		k := newKeys(rnd)
		max := 2*r.stride + 30
		srcs, dsts, ivs, rks := newBuffer(t, 16*max), newBuffer(t, 16*max), newBuffer(t, 16), newBuffer(t, 128)
		for name, side := range sides {
			iv := (*[16]byte)(side(ivs, 16))
			rk, ref := words(side(rks, 128)), &k.refEnc
			*rk = k.enc
			if r.decrypts {
				*rk, ref = k.dec, &k.refDec
			}
			for n := 1; n <= max; n++ {
				src, dst := side(srcs, 16*n), side(dsts, 16*n)
				fill(rnd, src)
				fill(rnd, iv[:])
				iv[12] &= 0x7f
				wantIV := *iv
				want := r.reference(ref, src, &wantIV)
				start := *iv
				r.run(rk, &dst[0], &src[0], n, iv)
				if !bytes.Equal(dst, want) || r.hasIV && *iv != wantIV {
					t.Fatalf("%d blocks, %s: wrong", n, name)
				}
				*iv = start
				r.run(rk, &src[0], &src[0], n, iv)
				if !bytes.Equal(src, want) || r.hasIV && *iv != wantIV {
					t.Fatalf("%d blocks, %s, in place: wrong", n, name)
				}
			}
		}
	})
}

// TestChaining splits a message into two calls: the iv of the first must lead on.
func TestChaining(t *testing.T) {
	each(t, func(t *testing.T, r routine) {
		rnd := newRand(t)
		k := newKeys(rnd)
		rk, ref := &k.enc, &k.refEnc
		if r.decrypts {
			rk, ref = &k.dec, &k.refDec
		}
		const n = 64
		src, dst := make([]byte, 16*n), make([]byte, 16*n)
		for split := 1; split < n; split++ {
			fill(rnd, src)
			var iv [16]byte
			fill(rnd, iv[:])
			iv[12] &= 0x7f
			wantIV := iv
			want := r.reference(ref, src, &wantIV)
			r.run(rk, &dst[0], &src[0], split, &iv)
			r.run(rk, &dst[16*split], &src[16*split], n-split, &iv)
			if !bytes.Equal(dst, want) {
				t.Fatalf("%d and %d blocks differ from one call", split, n-split)
			}
			if r.hasIV && iv != wantIV {
				t.Fatalf("%d and %d blocks: iv is %x, want %x", split, n-split, iv, wantIV)
			}
		}
	})
}

// TestCounter has counters that end right before, and at, the wrap of their low
// 32 bits, and carries within them.
func TestCounter(t *testing.T) {
	each(t, func(t *testing.T, r routine) {
		if !strings.HasPrefix(r.name, "CTR") {
			t.Skip("has no counter")
		}
		rnd := newRand(t)
		k := newKeys(rnd)
		for n := 1; n <= 3*r.stride; n++ {
			src, dst := make([]byte, 16*n), make([]byte, 16*n)
			for _, low := range []uint32{0, 0xff, 0xfff8, 0xfffff0, 0x7ffffff0, 0x7fffffff, 0x80000000, -uint32(n) - 1, -uint32(n)} {
				var iv [16]byte
				fill(rnd, iv[:])
				binary.BigEndian.PutUint32(iv[12:], low)
				if err := k.check(r, dst, src, iv); err != nil {
					t.Fatalf("%d blocks from %08x: %v", n, low, err)
				}
			}
		}
	})
}

// TestMillion is example 2 of GB/T 32907-2016 appendix A.
func TestMillion(t *testing.T) {
	key := [16]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10}
	want := [16]byte{0x59, 0x52, 0x98, 0xc7, 0xc6, 0xfd, 0x27, 0x1f, 0x04, 0x02, 0xf8, 0x04, 0xc3, 0x3d, 0x3f, 0x66}
	enc := folded(refExpand(&key))
	each(t, func(t *testing.T, r routine) {
		if !strings.HasPrefix(r.name, "ECB") {
			t.Skip("has more than blocks")
		}
		x := key
		for range 1000000 {
			r.run(&enc, &x[0], &x[0], 1, nil)
		}
		if x != want {
			t.Errorf("got %x", x)
		}
	})
}

// stackTiers call every routine of a tier directly, with buffers on their own
// stack.
var stackTiers = []struct {
	name  string
	needs []cpu.Feature
	all   func(enc, dec *[32]uint32) byte
}{
	{"AESNIAVX", avx, func(enc, dec *[32]uint32) byte {
		var key, iv [16]byte
		var buf [5 * 16]byte
		p, n := &buf[0], len(buf)/16
		ExpandKeyAESNI(&key, enc, dec)
		ECBAESNIAVX(enc, p, p, n)
		CBCDecAESNIAVX(dec, p, p, n, &iv)
		CFBDecAESNIAVX(enc, p, p, n, &iv)
		iv[12] = 0
		CTRAESNIAVX(enc, p, p, n, &iv)
		BlockAESNIAVX(enc, p, p)
		CBCEncAESNIAVX(enc, p, p, n, &iv)
		CFBEncAESNIAVX(enc, p, p, n, &iv)
		CTSEncAESNIAVX(enc, p, p, len(buf)-3, &iv)
		CTSDecAESNIAVX(dec, p, p, len(buf)-3, &iv)
		XTSAESNIAVX(enc, enc, p, p, len(buf)-3, len(buf), &iv[0], 0)
		return buf[0]
	}},
	{"AESNIAVX2", avx2, func(enc, dec *[32]uint32) byte {
		var iv [16]byte
		var buf [9 * 16]byte
		p, n := &buf[0], len(buf)/16
		ECBAESNIAVX2(enc, p, p, n)
		CBCDecAESNIAVX2(dec, p, p, n, &iv)
		CFBDecAESNIAVX2(enc, p, p, n, &iv)
		iv[12] = 0
		CTRAESNIAVX2(enc, p, p, n, &iv)
		CTSDecAESNIAVX2(dec, p, p, len(buf)-3, &iv)
		XTSAESNIAVX2(enc, enc, p, p, len(buf)-3, len(buf), &iv[0], 0)
		return buf[0]
	}},
	{"VAESAVX2", vaes, func(enc, dec *[32]uint32) byte {
		var iv [16]byte
		var buf [9 * 16]byte
		p, n := &buf[0], len(buf)/16
		ECBVAESAVX2(enc, p, p, n)
		CBCDecVAESAVX2(dec, p, p, n, &iv)
		CFBDecVAESAVX2(enc, p, p, n, &iv)
		iv[12] = 0
		CTRVAESAVX2(enc, p, p, n, &iv)
		CTSDecVAESAVX2(dec, p, p, len(buf)-3, &iv)
		XTSVAESAVX2(enc, enc, p, p, len(buf)-3, len(buf), &iv[0], 0)
		return buf[0]
	}},
	{"GFNIAVX2", gfniAVX2, func(enc, dec *[32]uint32) byte {
		var key, iv [16]byte
		var buf [9 * 16]byte
		p, n := &buf[0], len(buf)/16
		ExpandKeyGFNI(&key, enc, dec)
		ECBGFNIAVX2(enc, p, p, n)
		CBCDecGFNIAVX2(dec, p, p, n, &iv)
		CFBDecGFNIAVX2(enc, p, p, n, &iv)
		iv[12] = 0
		CTRGFNIAVX2(enc, p, p, n, &iv)
		BlockGFNIAVX2(enc, p, p)
		CBCEncGFNIAVX2(enc, p, p, n, &iv)
		CFBEncGFNIAVX2(enc, p, p, n, &iv)
		CTSEncGFNIAVX2(enc, p, p, len(buf)-3, &iv)
		CTSDecGFNIAVX2(dec, p, p, len(buf)-3, &iv)
		XTSGFNIAVX2(enc, enc, p, p, len(buf)-3, len(buf), &iv[0], 0)
		lanes := stackLanes(p, p, &iv[0])
		CBCEncMany16GFNIAVX2(enc, (*[48]*byte)(lanes[:]), n)
		CBCEncMany32GFNIAVX2(enc, &lanes, n)
		return buf[0]
	}},
	{"GFNIAVX512", gfniAVX512, func(enc, dec *[32]uint32) byte {
		var iv [16]byte
		var buf [150 * 16]byte
		p, n := &buf[0], len(buf)/16
		ECBGFNIAVX512(enc, p, p, n)
		CBCDecGFNIAVX512(dec, p, p, n, &iv)
		CFBDecGFNIAVX512(enc, p, p, n, &iv)
		iv[12] = 0
		CTRGFNIAVX512(enc, p, p, n, &iv)
		BlockGFNIAVX512(enc, p, p)
		CBCEncGFNIAVX512(enc, p, p, n, &iv)
		CFBEncGFNIAVX512(enc, p, p, n, &iv)
		CTSEncGFNIAVX512(enc, p, p, len(buf)-3, &iv)
		CTSDecGFNIAVX512(dec, p, p, len(buf)-3, &iv)
		XTSGFNIAVX512(enc, enc, p, p, len(buf)-3, len(buf), &iv[0], 0)
		lanes := stackLanes(p, p, &iv[0])
		CBCEncMany16GFNIAVX512(enc, (*[48]*byte)(lanes[:]), n)
		CBCEncMany32GFNIAVX512(enc, &lanes, n)
		return buf[0]
	}},
}

// stackLanes has the same message in all lanes.
func stackLanes(dst, src, iv *byte) (lanes [96]*byte) {
	for i := 0; i < len(lanes); i += 3 {
		lanes[i], lanes[i+1], lanes[i+2] = dst, src, iv
	}
	return lanes
}

// TestStack checks that buffers on the caller's stack stay there, and that the
// routines, which have large frames, may be where the stack grows.
func TestStack(t *testing.T) {
	for _, tier := range stackTiers {
		t.Run(tier.name, func(t *testing.T) {
			require(t, tier.needs)
			k := newKeys(newRand(t))
			enc, dec := k.enc, k.dec
			want := tier.all(&enc, &dec)
			if n := testing.AllocsPerRun(100, func() { tier.all(&enc, &dec) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
			done := make(chan bool)
			for range 20 {
				go func() {
					enc, dec := enc, dec
					var deep func(n int) bool
					deep = func(n int) bool {
						var pad [40]byte
						pad[n%40] = 1
						return tier.all(&enc, &dec) == want && (n == 0 || deep(n-1)) && pad[n%40] == 1
					}
					done <- deep(200)
				}()
			}
			for range 20 {
				if !<-done {
					t.Fatal("wrong output on a growing stack")
				}
			}
		})
	}
}
