// Command ghash writes the x86-64 assembly of GHASH and its Go stubs.
//
//	go run ./ghash -dir ../internal/ghash/amd64
//
// A tier is one file with two routines (init.go, update.go), which are written
// once for all register widths: emitter.go hides their differences, field.go has
// the arithmetic.
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
	width    width
}

var tiers = []tier{
	{"ghash_clmul_amd64", "CLMUL", "AVX, PCLMULQDQ", xmm},
	{"ghash_vpclmul_avx2_amd64", "VPCLMULAVX2", "AVX, AVX2, PCLMULQDQ, VPCLMULQDQ", ymm},
	{"ghash_vpclmul_avx512_amd64", "VPCLMULAVX512", "AVX, AVX2, AVX-512 (F, BW, DQ, VL), PCLMULQDQ, VPCLMULQDQ", zmm},
}

func main() {
	dir := output.Dir()
	for _, t := range tiers {
		t.write(dir)
	}
}

func (t tier) write(dir string) {
	e := &emitter{Context: build.NewContext(), tier: t, width: t.width, pool: newPool()}
	e.init()
	e.update()
	e.pool.emit(e.Context)
	output.Write(e.Context, "ghash", dir, t.file)
}
