package ghash

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"ucrypt/internal/guard"
)

// reference multiplies by the definition, bit by bit (NIST SP 800-38D section
// 6.3).
func reference(acc, h *[16]byte, p []byte) {
	for ; len(p) > 0; p = p[16:] {
		var zh, zl uint64
		vh, vl := binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])
		for i := range 128 {
			if (acc[i/8]^p[i/8])>>(7-i%8)&1 == 1 {
				zh, zl = zh^vh, zl^vl
			}
			carry := vl & 1
			vl = vl>>1 | vh<<63
			vh = vh>>1 ^ carry*(0xe1<<56)
		}
		binary.BigEndian.PutUint64(acc[:], zh)
		binary.BigEndian.PutUint64(acc[8:], zl)
	}
}

// tiers runs f for every tier that can run here.
func tiers(t *testing.T, f func(t *testing.T, tier Tier)) {
	for _, tier := range Tiers() {
		t.Run(tier.String(), func(t *testing.T) {
			if err := tier.Available(); err != nil {
				t.Skip(err)
			}
			f(t, tier)
		})
	}
}

func TestSelfTest(t *testing.T) {
	tiers(t, func(t *testing.T, tier Tier) {
		if err := tier.SelfTest(); err != nil {
			t.Error(err)
		}
		undo := SetFault(tier)
		if tier.SelfTest() == nil {
			t.Error("a damaged tier passes its answers")
		}
		if tier != Generic && Best() == tier {
			t.Error("a damaged tier is the best")
		}
		undo()
		if err := tier.SelfTest(); err != nil {
			t.Error(err)
		}
	})
}

// TestSingleBits: products of all pairs of single bits, and of all bits.
func TestSingleBits(t *testing.T) {
	tiers(t, func(t *testing.T, tier Tier) {
		full := [16]byte(bytes.Repeat([]byte{0xff}, 16))
		check := func(h, x [16]byte) {
			var got, want [16]byte
			NewTier(tier, &h).Update(&got, x[:])
			if reference(&want, &h, x[:]); got != want {
				t.Fatalf("%x times %x is %x, want %x", x, h, got, want)
			}
		}
		check(full, full)
		for i := range 128 {
			var h [16]byte
			h[i/8] = 1 << (i % 8)
			check(h, full)
			check(full, h)
			for j := range 128 {
				var x [16]byte
				x[j/8] = 1 << (j % 8)
				check(h, x)
			}
		}
	})
}

// TestLengths: every number of blocks, between inaccessible pages, cut at random.
func TestLengths(t *testing.T) {
	if !guard.Available {
		t.Skip("this system has no inaccessible pages")
	}
	const most = 150
	buf, err := guard.New(16 * most)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Close()
	tiers(t, func(t *testing.T, tier Tier) {
		rnd := rand.New(rand.NewPCG(1, 2))
		random := func(p []byte) {
			for i := range p {
				p[i] = byte(rnd.Uint32())
			}
		}
		for n := range most + 1 {
			var h, got, want [16]byte
			random(h[:])
			random(got[:])
			want = got
			k := NewTier(tier, &h)
			p := buf.Right(16 * n)
			random(p)
			cut := 16 * rnd.IntN(n+1)
			k.Update(&got, p[:cut])
			k.Update(&got, p[cut:])
			if reference(&want, &h, p); got != want {
				t.Fatalf("%d blocks, cut at %d: %x, want %x", n, cut/16, got, want)
			}
			got = [16]byte{}
			k.Update(&got, p)
			want = [16]byte{}
			if reference(&want, &h, p); got != want {
				t.Fatalf("%d blocks: %x, want %x", n, got, want)
			}
		}
	})
}

// TestLong: more than one call of a routine.
func TestLong(t *testing.T) {
	p := bytes.Repeat([]byte("GHASH of a long message, 48 bytes of it, repeat."), 4096)
	h := [16]byte{1, 2, 3, 0xff, 15: 9}
	var want [16]byte
	NewTier(Generic, &h).Update(&want, p)
	tiers(t, func(t *testing.T, tier Tier) {
		var got [16]byte
		k := NewTier(tier, &h)
		k.Update(&got, p)
		if got != want {
			t.Errorf("%x, want %x", got, want)
		}
		if n := testing.AllocsPerRun(10, func() {
			var acc [16]byte
			var block [64]byte
			k.Update(&acc, block[:])
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func BenchmarkUpdate(b *testing.B) {
	for _, tier := range Tiers() {
		if tier.Available() != nil {
			continue
		}
		for _, n := range []int{32, 80, 512, 8192} {
			b.Run(tier.String()+"/"+itoa(n), func(b *testing.B) {
				k, p := NewTier(tier, &[16]byte{1, 2, 3}), make([]byte, n)
				var acc [16]byte
				b.SetBytes(int64(n))
				for b.Loop() {
					k.Update(&acc, p)
				}
			})
		}
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}
