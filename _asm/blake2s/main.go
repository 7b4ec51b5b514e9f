// Command blake2s writes the x86-64 assembly of BLAKE2s and its Go stubs.
//
//	go run ./blake2s -dir ../internal/blake2s/amd64
//
// There are three shapes of the compression function. With one word of the
// state in a register (words.go) the registers are general ones, for a single
// message, or vectors that hold the same word of many messages. With a row of
// four words in a register (rows.go) they are vectors, for a single message.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"ucrypt/_asm/output"
)

// tier is a set of routines for processors with the same features.
type tier struct {
	file     string // name of the files without their endings
	features string
	emit     func(*emitter)
}

var tiers = []tier{
	{"blake2s_x86_amd64", "none beyond what every x86-64 processor has", (*emitter).scalar},
	{"blake2s_sse41_amd64", "SSSE3, SSE4.1", func(e *emitter) { e.rows(sse{}) }},
	{"blake2s_avx2_amd64", "AVX, AVX2", (*emitter).many8},
	{"blake2s_avx512_amd64", "AVX, AVX2, AVX-512 F and VL", func(e *emitter) { e.rows(evex{}); e.manyEVEX(8); e.manyEVEX(16) }},
}

func main() {
	dir := output.Dir()
	for _, t := range tiers {
		t.write(dir)
	}
}

func (t tier) write(dir string) {
	e := &emitter{Context: build.NewContext(), tier: t, pool: newPool()}
	t.emit(e)
	e.pool.emit(e.Context)
	output.Write(e.Context, "blake2s", dir, t.file)
}
