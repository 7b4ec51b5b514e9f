//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"testing"

	"ucrypt/internal/cpu"
	ghash "ucrypt/internal/ghash/amd64"
)

// hashRoutine is a routine that encrypts a block beside GHASH, with the routines
// of GHASH whose powers it reads.
type hashRoutine struct {
	name   string
	run    func(rk *[32]uint32, block *[16]byte, powers *[1024]byte, acc *[16]byte, p *byte, turns int, last *[16]byte)
	init   func(powers *[1024]byte, h *[16]byte)
	update func(powers *[1024]byte, acc *[16]byte, p *byte, blocks int)
	needs  []cpu.Feature
}

var hashRoutines = []hashRoutine{
	{"AESNICLMUL", EncryptAndHashAESNICLMUL, ghash.InitCLMUL, ghash.UpdateCLMUL,
		[]cpu.Feature{cpu.AES, cpu.AVX, cpu.PCLMULQDQ}},
	{"AESNIVPCLMULAVX2", EncryptAndHashAESNIVPCLMULAVX2, ghash.InitVPCLMULAVX2, ghash.UpdateVPCLMULAVX2,
		[]cpu.Feature{cpu.AES, cpu.AVX, cpu.AVX2, cpu.PCLMULQDQ, cpu.VPCLMULQDQ}},
	{"GFNIVPCLMULAVX2", EncryptAndHashGFNIVPCLMULAVX2, ghash.InitVPCLMULAVX2, ghash.UpdateVPCLMULAVX2,
		[]cpu.Feature{cpu.AVX, cpu.AVX2, cpu.GFNI, cpu.PCLMULQDQ, cpu.VPCLMULQDQ}},
	{"GFNIVPCLMULAVX512", EncryptAndHashGFNIVPCLMULAVX512, ghash.InitVPCLMULAVX512, ghash.UpdateVPCLMULAVX512,
		[]cpu.Feature{cpu.AVX, cpu.AVX2, cpu.AVX512, cpu.GFNI, cpu.PCLMULQDQ, cpu.VPCLMULQDQ}},
}

// TestEncryptAndHash has all numbers of turns, with and without a last block, and
// buffers that begin and that end at guard pages. GHASH itself has tests of its
// own.
func TestEncryptAndHash(t *testing.T) {
	for _, r := range hashRoutines {
		t.Run(r.name, func(t *testing.T) {
			require(t, r.needs)
			rnd := newRand(t)
			blocks, powers, accs, texts, lasts := newBuffer(t, 16), newBuffer(t, 1024), newBuffer(t, 16), newBuffer(t, 4096), newBuffer(t, 16)
			for round := range 64 {
				turns, right := 1+round%8, round&8 != 0
				k := newKeys(rnd)
				var h [16]byte
				fill(rnd, h[:])
				block, acc, last := (*[16]byte)(place(blocks, right, 16)), (*[16]byte)(place(accs, right, 16)), (*[16]byte)(place(lasts, right, 16))
				pw, text := (*[1024]byte)(place(powers, right, 1024)), place(texts, right, 512*turns)
				fill(rnd, block[:])
				fill(rnd, acc[:])
				fill(rnd, last[:])
				fill(rnd, text)
				clear(pw[:])
				r.init(pw, &h)
				if round&16 != 0 {
					last = nil
				}
				want := refBlock(&k.refEnc, block[:])
				var sum [16]byte
				r.update(pw, &sum, &acc[0], 1)
				r.update(pw, &sum, &text[0], 32*turns)
				if last != nil {
					r.update(pw, &sum, &last[0], 1)
				}
				before := bytes.Clone(text)
				r.run(&k.enc, block, pw, acc, &text[0], turns, last)
				if *block != want || *acc != sum || !bytes.Equal(text, before) {
					t.Fatalf("%d turns, last block %v: block %x, want %x; sum %x, want %x", turns, last != nil, *block, want, *acc, sum)
				}
			}
		})
	}
}
