// Command ghash writes the x86-64 assembly of GHASH and its Go stubs.
//
//	go run ./ghash -dir ../internal/ghash/amd64
//
// A tier is one file with two routines (init.go, update.go), which are written
// once for all register widths: emitter.go hides their differences, field.go has
// the arithmetic.
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
	e := &emitter{Context: build.NewContext(), tier: t, width: t.width, pool: newPool()}
	e.ConstraintExpr("amd64,!purego")
	e.init()
	e.update()
	e.pool.emit(e.Context)

	file, err := e.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	cfg := printer.Config{Argv: []string{"go", "run", "./ghash"}, Pkg: "amd64"}
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
