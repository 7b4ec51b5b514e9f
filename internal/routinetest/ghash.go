package routinetest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ucrypt/internal/cpu"
	"ucrypt/internal/guard"
)

// GHASHTier is a tier's routines for GHASH.
type GHASHTier struct {
	Name   string
	Init   func(powers *[1024]byte, h *[16]byte)
	Update func(powers *[1024]byte, acc *[16]byte, p *byte, blocks int)
	Stride int // blocks between two reductions
	Size   int // bytes of powers
	Needs  []cpu.Feature
}

// GHASH is the tiers of a folder.
type GHASH []GHASHTier

// Test compares the routines with GHASH as its standard describes it.
func (g GHASH) Test(t *testing.T) {
	t.Run("update", g.testUpdate)
	t.Run("special", g.testSpecial)
	t.Run("chained", g.testChained)
	t.Run("guard", g.testGuard)
	t.Run("standard", g.testStandard)
}

// multiply is the product of two blocks, bit by bit: NIST SP 800-38D section
// 6.3, algorithm 1.
func multiply(x, y [16]byte) (z [16]byte) {
	for i := range 128 {
		if x[i/8]>>(7-i%8)&1 != 0 {
			for j := range z {
				z[j] ^= y[j]
			}
		}
		carry := byte(0)
		for j := range y {
			y[j], carry = y[j]>>1|carry<<7, y[j]&1
		}
		y[0] ^= 0xe1 * carry
	}
	return z
}

// GHASHUpdate is what the Update routines do: algorithm 2, from acc on.
func GHASHUpdate(h, acc [16]byte, p []byte) [16]byte {
	for ; len(p) > 0; p = p[16:] {
		for i, b := range p[:16] {
			acc[i] ^= b
		}
		acc = multiply(acc, h)
	}
	return acc
}

// each runs f on every tier that this processor has.
func (g GHASH) each(t *testing.T, f func(t *testing.T, r GHASHTier)) {
	for _, r := range g {
		t.Run(r.Name, func(t *testing.T) {
			if missing := cpu.Missing(r.Needs); len(missing) > 0 {
				t.Skip("not run: " + strings.Join(missing, "; "))
			}
			f(t, r)
		})
	}
}

// random returns a key, a sum so far and a message of that many blocks.
func random(r *rand.Rand, blocks int) (h, acc [16]byte, p []byte) {
	p = make([]byte, 16*blocks)
	Fill(r, h[:])
	Fill(r, acc[:])
	Fill(r, p)
	return h, acc, p
}

// counts are numbers of blocks: all small ones, and those around multiples of
// the strides.
func counts() (n []int) {
	for i := 1; i <= 140; i++ {
		n = append(n, i)
	}
	for _, i := range []int{160, 192, 256, 512, 4096} {
		for d := -2; d <= 2 && i+d <= 4096; d++ {
			n = append(n, i+d)
		}
	}
	return n
}

// testUpdate compares the routines with the reference, from every alignment in
// turn.
func (g GHASH) testUpdate(t *testing.T) {
	g.each(t, func(t *testing.T, r GHASHTier) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for i, blocks := range counts() {
			h, acc, p := random(rnd, blocks)
			want := GHASHUpdate(h, acc, p)
			var powers [1024]byte
			r.Init(&powers, &h)
			if !bytes.Equal(powers[r.Size:], make([]byte, 1024-r.Size)) {
				t.Fatalf("Init wrote behind %d bytes of powers", r.Size)
			}
			before := powers
			buf := make([]byte, len(p)+64)[i%64:]
			copy(buf, p)
			r.Update(&powers, &acc, &buf[0], blocks)
			if acc != want {
				t.Fatalf("%d blocks, key %x: %x, want %x", blocks, h, acc, want)
			}
			if powers != before || !bytes.Equal(buf[:len(p)], p) {
				t.Fatalf("%d blocks: Update changed its input", blocks)
			}
		}
	})
}

// testSpecial uses keys and messages whose products have carries everywhere or
// nowhere.
func (g GHASH) testSpecial(t *testing.T) {
	ones := [16]byte(bytes.Repeat([]byte{0xff}, 16))
	blocks := [][16]byte{{}, ones, {0: 0x80}, {15: 1}, {7: 1}, {8: 0x80}, {0: 0xe1}, {0: 0xc2, 15: 1}}
	g.each(t, func(t *testing.T, r GHASHTier) {
		for _, h := range blocks {
			var powers [1024]byte
			r.Init(&powers, &h)
			for _, b := range blocks {
				for _, n := range []int{1, r.Stride, r.Stride + 3} {
					acc := ones
					p := bytes.Repeat(b[:], n)
					want := GHASHUpdate(h, acc, p)
					if r.Update(&powers, &acc, &p[0], n); acc != want {
						t.Errorf("key %x, %d times %x: %x, want %x", h, n, b, acc, want)
					}
				}
			}
		}
	})
}

// testChained absorbs one message in two and in many calls.
func (g GHASH) testChained(t *testing.T) {
	g.each(t, func(t *testing.T, r GHASHTier) {
		rnd := rand.New(rand.NewPCG(3, 4))
		h, start, p := random(rnd, 2*r.Stride+5)
		want := GHASHUpdate(h, start, p)
		var powers [1024]byte
		r.Init(&powers, &h)
		for n := 1; n < len(p)/16; n++ {
			acc := start
			r.Update(&powers, &acc, &p[0], n)
			if r.Update(&powers, &acc, &p[16*n], len(p)/16-n); acc != want {
				t.Errorf("%d blocks, then the others: %x, want %x", n, acc, want)
			}
		}
		for range 20 {
			acc := start
			for rest := p; len(rest) > 0; {
				n := 1 + rnd.IntN(len(rest)/16)
				r.Update(&powers, &acc, &rest[0], n)
				rest = rest[16*n:]
			}
			if acc != want {
				t.Errorf("random steps: %x, want %x", acc, want)
			}
		}
	})
}

// testGuard runs the routines with each of their buffers next to an inaccessible
// page.
func (g GHASH) testGuard(t *testing.T) {
	if !guard.Available {
		t.Skip("not run: no guard pages")
	}
	buffers := make([]*guard.Buffer, 4)
	for i, n := range []int{1024, 16, 16, 16 * 140} {
		buffers[i] = Buffer(t, n)
	}
	g.each(t, func(t *testing.T, r GHASHTier) {
		rnd := rand.New(rand.NewPCG(5, 6))
		for blocks := 1; blocks <= 140; blocks++ {
			h, acc, p := random(rnd, blocks)
			want := GHASHUpdate(h, acc, p)
			for side, cut := range Sides {
				powers := (*[1024]byte)(cut(buffers[0], 1024))
				key := (*[16]byte)(cut(buffers[1], 16))
				sum := (*[16]byte)(cut(buffers[2], 16))
				text := cut(buffers[3], len(p))
				*key, *sum = h, acc
				copy(text, p)
				r.Init(powers, key)
				if r.Update(powers, sum, &text[0], blocks); *sum != want {
					t.Fatalf("%d blocks, side %d: %x, want %x", blocks, side, *sum, want)
				}
			}
		}
	})
}

// testStandard is test case 2 of the specification of GCM (McGrew and Viega).
func (g GHASH) testStandard(t *testing.T) {
	h, _ := hex.DecodeString("66e94bd4ef8a2c3b884cfa59ca342b2e")
	p, _ := hex.DecodeString("0388dace60b6a392f328c2b971b2fe78" + "00000000000000000000000000000080")
	g.each(t, func(t *testing.T, r GHASHTier) {
		var powers [1024]byte
		var acc [16]byte
		r.Init(&powers, (*[16]byte)(h))
		r.Update(&powers, &acc, &p[0], 2)
		if got := fmt.Sprintf("%x", acc); got != "f38cbb1ad69223dcc3457ae5b6b0f885" {
			t.Errorf("got %s", got)
		}
	})
}

// Benchmark measures each tier. The names end in the number of bytes.
func (g GHASH) Benchmark(b *testing.B) {
	for _, r := range g {
		bench := func(name string, f func(b *testing.B, powers *[1024]byte)) {
			b.Run(name, func(b *testing.B) {
				if missing := cpu.Missing(r.Needs); len(missing) > 0 {
					b.Skip("not run: " + strings.Join(missing, "; "))
				}
				var powers [1024]byte
				r.Init(&powers, &[16]byte{1, 2, 3})
				f(b, &powers)
			})
		}
		bench("init/"+r.Name, func(b *testing.B, powers *[1024]byte) {
			for b.Loop() {
				r.Init(powers, &[16]byte{1, 2, 3})
			}
		})
		for _, blocks := range []int{1, 2, 4, 5, 9, 17, 64, 256, 257, 1024} {
			bench(fmt.Sprint("update/", r.Name, "/", 16*blocks), func(b *testing.B, powers *[1024]byte) {
				var acc [16]byte
				p := make([]byte, 16*blocks)
				b.SetBytes(int64(len(p)))
				for b.Loop() {
					r.Update(powers, &acc, &p[0], blocks)
				}
			})
		}
	}
}
