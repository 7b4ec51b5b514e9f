// Command sm4 writes the x86-64 assembly of SM4 and its Go stubs.
//
//	go run ./sm4 -dir ../internal/sm4/amd64
//
// Every routine is a combination of an S-box strategy (sbox.go: aesni.go or
// gfni.go), a register width (emitter.go, round.go; sliced.go for the byte-sliced
// form) and a mode (modes.go; serial.go, ccm.go, steal.go, xts.go, many.go). field.go
// holds the mathematics. A tier is one file; gcm.go has files of its own.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"ucrypt/_asm/output"
)

// tier is a set of routines for processors with the same features.
type tier struct {
	file     string // name of the files without their endings
	suffix   string // of the routines' names
	features string
	box      box
	width    width   // of the widest registers
	batches  []batch // largest first
	sliced   bool    // has the byte-sliced form
	clmul    bool    // has VPCLMULQDQ
	key      string  // end of the key expansion's name, if it is here
	serial   bool    // has the serial modes; else they are another tier's
	many     []batch // for many messages at once
}

// The smallest batch serves 2 blocks and more. In ymm without VAES, a batch of
// one group is slower than one of two groups in xmm: the way of each half through VAESENCLAST
// and back makes its chain of dependent instructions half as long again.
var tiers = []tier{
	{
		file:     "sm4_aesni_avx_amd64",
		suffix:   "AESNIAVX",
		features: "AES, AVX",
		box:      aesni{},
		width:    xmm,
		batches:  []batch{{w: xmm, groups: 4}, {w: xmm, groups: 3}, {w: xmm, groups: 2}, {w: xmm, groups: 1}},
		key:      "AESNI",
		serial:   true,
	},
	{
		file:     "sm4_aesni_avx2_amd64",
		suffix:   "AESNIAVX2",
		features: "AES, AVX, AVX2",
		box:      aesni{},
		width:    ymm,
		batches:  []batch{{w: ymm, groups: 4}, {w: ymm, groups: 3}, {w: ymm, groups: 2}, {w: xmm, groups: 2}, {w: xmm, groups: 1}},
	},
	{
		file:     "sm4_vaes_avx2_amd64",
		suffix:   "VAESAVX2",
		features: "AES, AVX, AVX2, VAES, VPCLMULQDQ",
		box:      aesni{vaes: true},
		width:    ymm,
		batches:  []batch{{w: ymm, groups: 4}, {w: ymm, groups: 3}, {w: ymm, groups: 2}, {w: ymm, groups: 1}},
		clmul:    true,
	},
	{
		file:     "sm4_gfni_avx2_amd64",
		suffix:   "GFNIAVX2",
		features: "AVX, AVX2, GFNI, VPCLMULQDQ",
		box:      gfni{},
		width:    ymm,
		batches:  []batch{{w: ymm, groups: 4}, {w: ymm, groups: 3}, {w: ymm, groups: 2}, {w: ymm, groups: 1}},
		clmul:    true,
		key:      "GFNI",
		serial:   true,
		many:     []batch{{w: ymm, groups: 2}, {w: ymm, groups: 4}},
	},
	{
		file:     "sm4_gfni_avx512_amd64",
		suffix:   "GFNIAVX512",
		features: "AVX, AVX2, AVX-512 (F, BW, DQ, VL), GFNI, VPCLMULQDQ",
		box:      gfni{evex: true},
		width:    zmm,
		batches:  []batch{{w: zmm, groups: 4}, {w: zmm, groups: 3}, {w: zmm, groups: 2}, {w: zmm, groups: 1}},
		sliced:   true,
		clmul:    true,
		serial:   true,
		many:     []batch{{w: zmm, groups: 1}, {w: zmm, groups: 2}},
	},
}

func main() {
	dir := output.Dir()
	for _, t := range tiers {
		t.write(dir)
	}
	for _, t := range gcmTiers {
		e := newEmitter(t.width)
		e.gcm(t)
		e.write(dir, t.file)
	}
}

func (t tier) write(dir string) {
	e := newEmitter(t.width)
	if t.key != "" {
		e.keyExpansion(t)
	}
	for _, m := range modes {
		e.routine(m, t)
	}
	if t.serial {
		e.block(t)
		for _, m := range serialModes {
			e.serial(m, t)
		}
	}
	if _, ok := t.box.(gfni); ok {
		e.ccm(t)
	}
	e.ctsDecrypt(t)
	e.xts(t)
	for _, b := range t.many {
		e.many(t, b)
	}
	e.write(dir, t.file)
}

// newEmitter begins a file whose widest registers are those of w.
func newEmitter(w width) *emitter {
	e := &emitter{Context: build.NewContext(), fold: newFold()}
	e.pool = newPool("constants", w.blocks())
	return e
}

// write ends the file that is to have that name.
func (e *emitter) write(dir, name string) {
	e.pool.emit(e.Context)
	output.Write(e.Context, "sm4", dir, name)
}
