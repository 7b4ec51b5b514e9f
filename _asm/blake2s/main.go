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
	"bytes"
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
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
	log.SetFlags(0)
	dir := flag.String("dir", ".", "write the files to `directory`")
	flag.Parse()
	for _, t := range tiers {
		if err := t.write(*dir); err != nil {
			log.Fatalf("%s: %v", t.file, err)
		}
	}
}

func (t tier) write(dir string) error {
	e := &emitter{Context: build.NewContext(), tier: t, pool: newPool()}
	e.ConstraintExpr("amd64,!purego")
	t.emit(e)
	e.pool.emit(e.Context)

	file, err := e.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	cfg := printer.Config{Argv: []string{"go", "run", "./blake2s"}, Pkg: "amd64"}
	for ending, p := range map[string]printer.Printer{
		".s":  printer.NewGoAsm(cfg),
		".go": printer.NewStubs(cfg),
	} {
		text, err := p.Print(file)
		if err != nil {
			return err
		}
		text = append(bytes.TrimRight(text, "\n"), '\n')
		if err := os.WriteFile(filepath.Join(dir, t.file+ending), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
