//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"testing"

	"ucrypt/internal/cpu"
)

// TestMACAndCTR has all counts of both up to several passes, text that is in
// place, apart, and what the MAC reads, and buffers that begin and that end at
// guard pages.
func TestMACAndCTR(t *testing.T) {
	for _, r := range []struct {
		name  string
		run   func(rk *[32]uint32, mac *[16]byte, p *byte, blocks int, dst, src *byte, count int, iv *[16]byte)
		needs []cpu.Feature
	}{
		{"GFNIAVX2", MACAndCTRGFNIAVX2, gfniAVX2},
		{"GFNIAVX512", MACAndCTRGFNIAVX512, gfniAVX512},
	} {
		t.Run(r.name, func(t *testing.T) {
			require(t, r.needs)
			rnd := newRand(t)
			const most = 16 * 40
			texts, srcs, dsts, macs, ivs := newBuffer(t, most), newBuffer(t, most), newBuffer(t, most), newBuffer(t, 16), newBuffer(t, 16)
			check := func(blocks, count, overlap int, right bool) {
				k := newKeys(rnd)
				text, src, dst := place(texts, right, 16*blocks), place(srcs, right, 16*count), place(dsts, right, 16*count)
				switch overlap {
				case 1: // in place
					dst = src
				case 2: // of what the MAC reads
					dst, src = text[:16*count], text[:16*count]
				}
				mac, iv := (*[16]byte)(place(macs, right, 16)), (*[16]byte)(place(ivs, right, 16))
				for _, b := range [][]byte{text, src, mac[:], iv[:]} {
					fill(rnd, b)
				}
				if blocks%3 == 0 { // the largest counters
					low := -uint32(count)
					for i := range 4 {
						iv[12+i] = byte(low >> (24 - 8*i))
					}
				}
				start, chain, counter := *iv, *mac, *iv
				refCBCEnc(&k.refEnc, text, &chain)
				want := refCTR(&k.refEnc, src, &counter)
				d, s := &mac[0], &mac[0] // not used
				if count > 0 {
					d, s = &dst[0], &src[0]
				}
				r.run(&k.enc, mac, &text[0], blocks, d, s, count, iv)
				if *mac != chain || !bytes.Equal(dst, want) || *iv != start {
					t.Fatalf("%d and %d blocks, overlap %d: mac %x, want %x; stream right: %v; iv left: %v",
						blocks, count, overlap, *mac, chain, bytes.Equal(dst, want), *iv == start)
				}
			}
			for blocks := 1; blocks <= 26; blocks++ {
				for count := 0; count <= (blocks+7)&^7; count++ {
					for overlap := range 3 {
						if overlap < 2 || count <= blocks {
							check(blocks, count, overlap, (blocks+count)%2 == 0)
						}
					}
				}
			}
			for _, blocks := range []int{31, 32, 33, 40} {
				for overlap := range 3 {
					check(blocks, blocks, overlap, overlap == 1)
				}
			}
		})
	}
}
