//go:build !purego

package arm64

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

// tier is a tier's routines.
type tier struct {
	name   string
	init   func(powers *[1024]byte, h *[16]byte)
	update func(powers *[1024]byte, acc *[16]byte, p *byte, blocks int)
	stride int // blocks between two reductions
	size   int // bytes of powers
	needs  []cpu.Feature
}

var tiers = []tier{
	{"PMULL", InitPMULL, UpdatePMULL, 8, 256, []cpu.Feature{cpu.ASIMD, cpu.PMULL}},
}

// each runs f on every tier that this processor has.
func each(t *testing.T, f func(t *testing.T, r tier)) {
	for _, r := range tiers {
		t.Run(r.name, func(t *testing.T) {
			if missing := cpu.Missing(r.needs); len(missing) > 0 {
				t.Skip("not run: " + strings.Join(missing, "; "))
			}
			f(t, r)
		})
	}
}

func fill(r *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
}

// random returns a key, a sum so far and a message of that many blocks.
func random(r *rand.Rand, blocks int) (h, acc [16]byte, p []byte) {
	p = make([]byte, 16*blocks)
	fill(r, h[:])
	fill(r, acc[:])
	fill(r, p)
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

// TestUpdate compares the routines with the reference, from every alignment in
// turn.
func TestUpdate(t *testing.T) {
	each(t, func(t *testing.T, r tier) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for i, blocks := range counts() {
			h, acc, p := random(rnd, blocks)
			want := refUpdate(h, acc, p)
			var powers [1024]byte
			r.init(&powers, &h)
			if !bytes.Equal(powers[r.size:], make([]byte, 1024-r.size)) {
				t.Fatalf("Init wrote behind %d bytes of powers", r.size)
			}
			before := powers
			buf := make([]byte, len(p)+64)[i%64:]
			copy(buf, p)
			r.update(&powers, &acc, &buf[0], blocks)
			if acc != want {
				t.Fatalf("%d blocks, key %x: %x, want %x", blocks, h, acc, want)
			}
			if powers != before || !bytes.Equal(buf[:len(p)], p) {
				t.Fatalf("%d blocks: Update changed its input", blocks)
			}
		}
	})
}

// TestSpecial uses keys and messages whose products have carries everywhere or
// nowhere.
func TestSpecial(t *testing.T) {
	ones := [16]byte(bytes.Repeat([]byte{0xff}, 16))
	blocks := [][16]byte{{}, ones, {0: 0x80}, {15: 1}, {7: 1}, {8: 0x80}, {0: 0xe1}, {0: 0xc2, 15: 1}}
	each(t, func(t *testing.T, r tier) {
		for _, h := range blocks {
			var powers [1024]byte
			r.init(&powers, &h)
			for _, b := range blocks {
				for _, n := range []int{1, r.stride, r.stride + 3} {
					acc := ones
					p := bytes.Repeat(b[:], n)
					want := refUpdate(h, acc, p)
					if r.update(&powers, &acc, &p[0], n); acc != want {
						t.Errorf("key %x, %d times %x: %x, want %x", h, n, b, acc, want)
					}
				}
			}
		}
	})
}

// TestChained absorbs one message in two and in many calls.
func TestChained(t *testing.T) {
	each(t, func(t *testing.T, r tier) {
		rnd := rand.New(rand.NewPCG(3, 4))
		h, start, p := random(rnd, 2*r.stride+5)
		want := refUpdate(h, start, p)
		var powers [1024]byte
		r.init(&powers, &h)
		for n := 1; n < len(p)/16; n++ {
			acc := start
			r.update(&powers, &acc, &p[0], n)
			if r.update(&powers, &acc, &p[16*n], len(p)/16-n); acc != want {
				t.Errorf("%d blocks, then the others: %x, want %x", n, acc, want)
			}
		}
		for range 20 {
			acc := start
			for rest := p; len(rest) > 0; {
				n := 1 + rnd.IntN(len(rest)/16)
				r.update(&powers, &acc, &rest[0], n)
				rest = rest[16*n:]
			}
			if acc != want {
				t.Errorf("random steps: %x, want %x", acc, want)
			}
		}
	})
}

// TestGuard runs the routines with each of their buffers next to an inaccessible
// page.
func TestGuard(t *testing.T) {
	if !guard.Available {
		t.Skip("not run: no guard pages")
	}
	buffers := make([]*guard.Buffer, 4)
	for i, n := range []int{1024, 16, 16, 16 * 140} {
		var err error
		if buffers[i], err = guard.New(n); err != nil {
			t.Fatal(err)
		}
		defer buffers[i].Close()
	}
	each(t, func(t *testing.T, r tier) {
		rnd := rand.New(rand.NewPCG(5, 6))
		for blocks := 1; blocks <= 140; blocks++ {
			h, acc, p := random(rnd, blocks)
			want := refUpdate(h, acc, p)
			for side, cut := range []func(b *guard.Buffer, n int) []byte{(*guard.Buffer).Left, (*guard.Buffer).Right} {
				powers := (*[1024]byte)(cut(buffers[0], 1024))
				key := (*[16]byte)(cut(buffers[1], 16))
				sum := (*[16]byte)(cut(buffers[2], 16))
				text := cut(buffers[3], len(p))
				*key, *sum = h, acc
				copy(text, p)
				r.init(powers, key)
				if r.update(powers, sum, &text[0], blocks); *sum != want {
					t.Fatalf("%d blocks, side %d: %x, want %x", blocks, side, *sum, want)
				}
			}
		}
	})
}

// TestStandard is test case 2 of the specification of GCM (McGrew and Viega).
func TestStandard(t *testing.T) {
	h, _ := hex.DecodeString("66e94bd4ef8a2c3b884cfa59ca342b2e")
	p, _ := hex.DecodeString("0388dace60b6a392f328c2b971b2fe78" + "00000000000000000000000000000080")
	each(t, func(t *testing.T, r tier) {
		var powers [1024]byte
		var acc [16]byte
		r.init(&powers, (*[16]byte)(h))
		r.update(&powers, &acc, &p[0], 2)
		if got := fmt.Sprintf("%x", acc); got != "f38cbb1ad69223dcc3457ae5b6b0f885" {
			t.Errorf("got %s", got)
		}
	})
}

// TestAllocations keeps all buffers on the caller's stack.
func TestAllocations(t *testing.T) {
	for name, f := range map[string]func(){
		"PMULL": func() {
			var powers [1024]byte
			var h, acc, p [16]byte
			InitPMULL(&powers, &h)
			UpdatePMULL(&powers, &acc, &p[0], 1)
		},
	} {
		each(t, func(t *testing.T, r tier) {
			if r.name != name {
				return
			}
			if n := testing.AllocsPerRun(100, f); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}
