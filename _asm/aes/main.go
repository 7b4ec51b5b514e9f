// Command aes writes the x86-64 assembly of AES and its Go stubs.
//
//	go run ./aes -dir ../internal/aes/amd64
//
// A tier is one file, and a routine is a mode (modes.go, serial.go, xts.go)
// written once for all register widths: emitter.go hides their differences,
// rounds.go has the cipher itself.
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

	file, err := e.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	cfg := printer.Config{Argv: []string{"go", "run", "./aes"}, Pkg: "amd64"}
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
