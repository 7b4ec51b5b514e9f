package routinetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"ucrypt/internal/guard"
)

// Routine is a routine and what it should do, both as functions of a message and
// of an iv, which they replace. K holds the keys in both forms.
type Routine[K comparable] struct {
	Name   string
	Blocks bool // takes whole blocks only
	Min    int  // bytes
	Run    func(k *K, dst, src []byte, iv *[16]byte)
	Want   func(k *K, src []byte, iv *[16]byte) []byte
}

// Fill makes b random.
func Fill(r *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
}

// Lengths are the message lengths in bytes that r is tested at: 1 to 70 blocks
// and some more, or every length from r.Min to 300 and some more.
func (r *Routine[K]) Lengths() (n []int) {
	if r.Blocks {
		for b := 1; b <= 70; b++ {
			n = append(n, 16*b)
		}
		return append(n, 16*127, 16*128, 16*129, 4096, 16<<10+16)
	}
	for b := r.Min; b <= 300; b++ {
		n = append(n, b)
	}
	return append(n, 511, 512, 513, 1024, 1420, 4095, 4096, 4097)
}

// Check runs r on the message in src and compares the output, the iv, the keys
// and, unless src is dst, the input with what they should be.
func (r *Routine[K]) Check(k *K, dst, src []byte, iv [16]byte) error {
	input, before := bytes.Clone(src), *k
	wantIV := iv
	want := r.Want(k, src, &wantIV)
	r.Run(k, dst, src, &iv)
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
		return fmt.Errorf("the keys were changed")
	}
	return nil
}

// TestLengths has every length, in place and not, at offsets from an aligned
// address, with poison around dst. The low 32 bits of iv do not wrap.
func (r *Routine[K]) TestLengths(t *testing.T, k *K, rnd *rand.Rand) {
	const margin = 64
	for i, n := range r.Lengths() {
		src := make([]byte, n+16)[i*7%16:][:n]
		buf := make([]byte, margin+n+margin+16)
		Fill(rnd, src)
		Fill(rnd, buf)
		poison := bytes.Clone(buf)
		var iv [16]byte
		Fill(rnd, iv[:])
		iv[12] &= 0x7f
		at := margin + i*3%16
		dst := buf[at:][:n]
		for _, from := range [][]byte{src, dst} {
			copy(from, src) // for the second time, to work in place
			if err := r.Check(k, dst, from, iv); err != nil {
				t.Fatalf("%d bytes, in place %t: %v", n, &from[0] == &dst[0], err)
			}
			if !bytes.Equal(buf[:at], poison[:at]) || !bytes.Equal(buf[at+n:], poison[at+n:]) {
				t.Fatalf("%d bytes, in place %t: wrote outside dst", n, &from[0] == &dst[0])
			}
		}
	}
}

// Buffer returns a guard.Buffer that lasts as long as the test.
func Buffer(t *testing.T, n int) *guard.Buffer {
	t.Helper()
	b, err := guard.New(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// Sides are the two places of a buffer that are next to an inaccessible page.
var Sides = []func(*guard.Buffer, int) []byte{(*guard.Buffer).Left, (*guard.Buffer).Right}

// TestGuardPages has src and dst begin right behind an inaccessible page and end
// right before one.
func (r *Routine[K]) TestGuardPages(t *testing.T, k *K, rnd *rand.Rand) {
	if !guard.Available {
		t.Skip("not run: no guard pages on this system")
	}
	const most = 4097
	in, out := Buffer(t, most), Buffer(t, most)
	for _, n := range r.Lengths() {
		if n > most {
			continue
		}
		for s, side := range Sides {
			src, dst := side(in, n), Sides[(s+n)%2](out, n)
			Fill(rnd, src)
			if err := r.Check(k, dst, src, [16]byte{}); err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
			if err := r.Check(k, src, src, [16]byte{1}); err != nil {
				t.Fatalf("%d bytes in place: %v", n, err)
			}
		}
	}
}
