// Command aes writes the x86-64 assembly of AES and its Go stubs.
//
//	go run ./aes -dir ../internal/aes/amd64
//
// A tier is one file, and a routine is a mode (modes.go, serial.go, xts.go)
// written once for all register widths: emitter.go hides their differences,
// rounds.go has the cipher itself.
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
	wide     width // of the widest registers
	narrow   width // for single blocks
	batches  []int // registers that go through the rounds together, in falling order
	base     bool  // has the routines that need no wide registers
}

// A rest that no batch takes goes through register by register. These short
// chains of instructions do not depend on each other, and the processor works
// on several at a time.
var tiers = []tier{
	{
		file:     "aes_aesni_amd64",
		suffix:   "AESNI",
		features: "AES, SSSE3",
		wide:     sse,
		narrow:   sse,
		batches:  []int{8, 4, 1},
		base:     true,
	},
	{
		file:     "aes_vaes_avx2_amd64",
		suffix:   "VAESAVX2",
		features: "AES, AVX, AVX2, VAES, VPCLMULQDQ",
		wide:     ymm,
		narrow:   xmm,
		batches:  []int{8, 4, 1},
	},
	{
		file:     "aes_vaes_avx512_amd64",
		suffix:   "VAESAVX512",
		features: "AES, AVX, AVX2, VAES, VPCLMULQDQ, AVX-512 F and BW",
		wide:     zmm,
		narrow:   xmm,
		batches:  []int{4, 1},
	},
}

func main() {
	dir := output.Dir()
	for _, t := range tiers {
		t.write(dir)
	}
}

func (t tier) write(dir string) {
	e := &emitter{Context: build.NewContext(), tier: t, pool: newPool()}
	if t.base {
		e.keyExpansion()
		e.cbcEncrypt()
		e.ctsEncrypt()
	}
	for _, m := range []mode{{name: "ECBEnc"}, {name: "ECBDec", decrypt: true}, {name: "CBCDec", decrypt: true, chained: true}} {
		e.parallel(m)
	}
	e.ctsDecrypt()
	for _, decrypt := range []bool{false, true} {
		e.xts(decrypt)
		e.xtsUnits(decrypt)
	}
	e.pool.emit(e.Context)
	output.Write(e.Context, "aes", dir, t.file)
}
