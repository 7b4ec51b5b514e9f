package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// models are the processors whose models llvm-mca has for arm64.
var models = []string{"neoverse-n1", "neoverse-n2", "neoverse-v1", "cortex-a72", "cortex-a53", "cortex-a55"}

// loop is the inner loop of a routine.
type loop struct {
	what     string
	function string
	branch   int     // which of the function's backward branches ends it, from 0 on
	bytes    float64 // that one pass works on; an eighth of them if it does 4 of 32 rounds
}

// loops are the inner loops of the arm64 routines.
var loops = []loop{
	// Four rounds of so many blocks.
	{"sm4-generic, 2 blocks", "ucrypt/internal/sm4.crypt2", 0, 32. / 8},
	{"sm4-neon, 16 blocks", "ucrypt/internal/sm4/arm64.wideNEON.abi0", 0, 256. / 8},
	{"sm4-neon, 4 blocks", "ucrypt/internal/sm4/arm64.narrowNEON.abi0", 0, 64. / 8},
	{"cbc-sm4-neon encrypt", "ucrypt/internal/sm4/arm64.cbcEncNEON.abi0", 0, 16. / 8},
	{"sm4-aese, 16 blocks", "ucrypt/internal/sm4/arm64.wideAESE.abi0", 0, 256. / 8},
	{"sm4-aese, 4 blocks", "ucrypt/internal/sm4/arm64.narrowAESE.abi0", 0, 64. / 8},
	{"cbc-sm4-aese encrypt", "ucrypt/internal/sm4/arm64.cbcEncAESE.abi0", 0, 16. / 8},
	// Whole blocks.
	{"ecb-sm4-ce", "ucrypt/internal/sm4/arm64.ECBCE.abi0", 0, 128},
	{"cbc-sm4-ce encrypt", "ucrypt/internal/sm4/arm64.CBCEncCE.abi0", 0, 16},
	{"cbc-sm4-ce decrypt", "ucrypt/internal/sm4/arm64.CBCDecCE.abi0", 0, 128},
	{"cfb-sm4-ce encrypt", "ucrypt/internal/sm4/arm64.CFBEncCE.abi0", 0, 16},
	{"cfb-sm4-ce decrypt", "ucrypt/internal/sm4/arm64.CFBDecCE.abi0", 0, 128},
	{"ctr-sm4-ce", "ucrypt/internal/sm4/arm64.CTRCE.abi0", 0, 128},
	{"xts-sm4-ce", "ucrypt/internal/sm4/arm64.XTSCE.abi0", 0, 128},
	{"xts-gb-sm4-ce", "ucrypt/internal/sm4/arm64.xtsGBCE.abi0", 0, 128},
	{"ecb-aes-ce encrypt, 256 bits", "ucrypt/internal/aes/arm64.ECBEncCE.abi0", 0, 128},
	{"cbc-aes-ce encrypt, 256 bits", "ucrypt/internal/aes/arm64.CBCEncCE.abi0", 0, 16},
	{"cbc-aes-ce decrypt, 256 bits", "ucrypt/internal/aes/arm64.CBCDecCE.abi0", 0, 128},
	{"xts-aes-ce encrypt, 256 bits", "ucrypt/internal/aes/arm64.XTSEncCE.abi0", 0, 128},
	{"xts-aes-ce decrypt, 256 bits", "ucrypt/internal/aes/arm64.XTSDecCE.abi0", 0, 128},
	{"blake2s-256-arm64", "ucrypt/internal/blake2s/arm64.Compress.abi0", 0, 64},
}

// features are what the routines use beyond the plain architecture.
const features = "--mattr=+sm4,+sha3,+aes,+sha2"

// llvm names the two programs; it is an error if they are not here.
func llvm() (mca, objdump string, err error) {
	for _, suffix := range []string{"-19", ""} {
		mca, err = exec.LookPath("llvm-mca" + suffix)
		if err != nil {
			continue
		}
		if objdump, err = exec.LookPath("llvm-objdump" + suffix); err == nil {
			return mca, objdump, nil
		}
	}
	return "", "", errors.New("llvm-mca-19 is not installed (Debian: llvm-19)")
}

// cycles estimates the loops' cycles by the models, and writes Markdown.
func cycles(w io.Writer, binary string) error {
	mca, objdump, err := llvm()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nCycles by the byte of the inner loops, by llvm-mca's models.\n\n| loop | instructions | %s |\n|---|---|%s\n",
		strings.Join(models, " | "), strings.Repeat("---|", len(models)))
	for _, l := range loops {
		out, err := exec.Command(objdump, "-d", "--no-show-raw-insn", features, "--disassemble-symbols="+l.function, binary).Output()
		if err != nil {
			return fmt.Errorf("%s: %w", objdump, err)
		}
		text, n, err := cutLoop(string(out), l.branch)
		if err != nil {
			return fmt.Errorf("%s: %w", l.function, err)
		}
		fmt.Fprintf(w, "| %s | %.2f |", l.what, float64(n)/l.bytes)
		for _, model := range models {
			c, err := estimate(mca, model, text)
			if err != nil {
				return fmt.Errorf("%s: %w", l.function, err)
			}
			fmt.Fprintf(w, " %.2f |", c/l.bytes)
		}
		fmt.Fprintln(w)
	}
	return nil
}

const iterations = 200

var totalCycles = regexp.MustCompile(`(?m)^Total Cycles:\s+(\d+)`)

// estimate returns the cycles of one pass of a loop.
func estimate(mca, model, text string) (float64, error) {
	cmd := exec.Command(mca, "-mtriple=aarch64-linux-gnu", "-mcpu="+model, features, fmt.Sprint("-iterations=", iterations),
		"--instruction-info=0", "--resource-pressure=0")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("llvm-mca: %w\n%s", err, out)
	}
	m := totalCycles.FindSubmatch(out)
	if m == nil {
		return 0, errors.New("llvm-mca prints no cycles")
	}
	c, err := strconv.ParseFloat(string(m[1]), 64)
	return c / iterations, err
}

var (
	instructionLine = regexp.MustCompile(`(?m)^\s*([0-9a-f]+):\s+(\S+)[ \t]*(.*)$`)
	branchName      = regexp.MustCompile(`^(b|b\.\w+|cbn?z|tbn?z)$`)
	branchTarget    = regexp.MustCompile(`0x([0-9a-f]+)(?: <[^>]*>)?$`)
)

// cutLoop returns the loop that the function's given backward branch, from 0 on,
// ends, as text for an assembler, and how many instructions it has.
func cutLoop(disassembly string, branch int) (string, int, error) {
	type instruction struct {
		address        uint64
		name, operands string
		target         uint64 // of a branch
	}
	var code []instruction
	for _, m := range instructionLine.FindAllStringSubmatch(disassembly, -1) {
		i := instruction{name: m[2], operands: strings.TrimSpace(m[3])}
		i.address, _ = strconv.ParseUint(m[1], 16, 64)
		if t := branchTarget.FindStringSubmatchIndex(i.operands); t != nil && branchName.MatchString(i.name) {
			i.target, _ = strconv.ParseUint(i.operands[t[2]:t[3]], 16, 64)
			i.operands = i.operands[:t[0]]
		}
		i.operands, _, _ = strings.Cut(i.operands, " <")
		code = append(code, i)
	}
	for last, i := range code {
		// What calls for more stack jumps back to the beginning.
		if i.target == 0 || i.target >= i.address || i.target <= code[0].address {
			continue
		}
		if branch--; branch >= 0 {
			continue
		}
		first := slices.IndexFunc(code, func(j instruction) bool { return j.address == i.target })
		if first < 0 {
			break
		}
		body := code[first : last+1]
		var text strings.Builder
		for _, j := range body {
			fmt.Fprintf(&text, ".L%x: %s %s", j.address, j.name, j.operands)
			switch {
			case j.target >= i.target && j.target <= i.address:
				fmt.Fprintf(&text, ".L%x", j.target)
			case j.target != 0:
				text.WriteString(".Lout")
			}
			text.WriteByte('\n')
		}
		text.WriteString(".Lout:\n")
		return text.String(), len(body), nil
	}
	return "", 0, errors.New("no such loop")
}
