package blake2s_test

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"ucrypt/internal/blake2s"
)

// TestPreferred: every tier is there once, the generic one last, and only Zen 5
// has another order than the tiers themselves.
func TestPreferred(t *testing.T) {
	for zen5, want := range map[bool]string{
		false: "[avx512 sse41 x86 arm64 arm generic]",
		true:  "[x86 avx512 sse41 arm64 arm generic]",
	} {
		if got := fmt.Sprint(blake2s.PreferredOn(zen5)); got != want {
			t.Errorf("Zen 5 %v: %s, want %s", zen5, got, want)
		}
	}
	for _, tier := range blake2s.Preferred() {
		if tier.Check() == nil {
			if best := blake2s.Best(); best != tier {
				t.Errorf("%s is the best, %s is preferred", best, tier)
			}
			break
		}
	}
}

// needs tells which feature an instruction of the x86 assembly needs at least.
// Those that every processor has on which Go runs are in base.
var needs = map[string]string{
	"PSHUFB": "ssse3", "PINSRD": "sse41", "PINSRQ": "sse41",

	"VMOVDQU": "avx", "VMOVQ": "avx", "VPINSRQ": "avx", "VPADDD": "avx", "VPSUBD": "avx", "VPXOR": "avx",
	"VPSHUFB": "avx", "VPSHUFD": "avx", "VPSLLD": "avx", "VPSRLD": "avx", "VPCMPEQD": "avx", "VPMINUD": "avx",
	"VPUNPCKLDQ": "avx", "VPUNPCKHDQ": "avx", "VPUNPCKLQDQ": "avx", "VPUNPCKHQDQ": "avx", "VZEROUPPER": "avx",

	"VPBROADCASTD": "avx2", "VINSERTI128": "avx2", "VEXTRACTI128": "avx2",

	"VMOVDQU32": "avx512", "VPXORD": "avx512", "VPRORD": "avx512", "VPERMI2D": "avx512", "VPTERNLOGD": "avx512",
	"VPCMPUD": "avx512", "VSHUFI32X4": "avx512", "VINSERTI32X4": "avx512", "VINSERTI64X4": "avx512",
}

var base = regexp.MustCompile(`^(MOV[LQ]|CMPQ|CMOVQNE|XCHGQ|MOVLQZX|LEA[LQ]|ADD[LQ]|ADCL|ANDQ|XORL|ROR[LQ]|SHRQ|DEC[LQ]|J[A-Z]+|RET|TEXT|DATA|GLOBL` +
	`|MOVSS|MOVOU|MOVOA|PXOR|PADD[DL]|PSLLL|PSRLL|PSLLO|PSHUF[DL])$`)

var (
	macroLine   = regexp.MustCompile(`^#define ([A-Z0-9]+)`)
	mnemonic    = regexp.MustCompile(`^\s*([A-Z][A-Z0-9]*)(?:\.[A-Z.]+)?\b(.*)`)
	ymmRegister = regexp.MustCompile(`\bY[0-9]`)
	evexOnly    = regexp.MustCompile(`\bZ[0-9]|\bK[0-7]\b|\b[XY](1[6-9]|2[0-9]|3[01])\b`)
)

// TestMnemonics: no instruction of a tier needs a feature that the tier does not
// ask for, and none is asked for in vain.
func TestMnemonics(t *testing.T) {
	for file, features := range map[string][][]string{
		"amd64/blake2s_x86_amd64.s":    {blake2s.X86.Features()},
		"amd64/blake2s_sse41_amd64.s":  {blake2s.SSE41.Features()},
		"amd64/blake2s_avx2_amd64.s":   {blake2s.ManyAVX2.Features()},
		"amd64/blake2s_avx512_amd64.s": {blake2s.AVX512.Features(), blake2s.ManyAVX512.Features()},
		"386/blake2s_sse41_386.s":      {blake2s.SSE41.Features()},
	} {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		used := map[string]bool{}
		macros := map[string]bool{}
		use := func(n int, text, feature string) {
			used[feature] = true
			for _, features := range features {
				if !slices.Contains(features, feature) {
					t.Errorf("%s:%d: %s needs %s, which the tier does not ask for", file, n, text, feature)
				}
			}
		}
		lines := bufio.NewScanner(f)
		instructions := 0
		for n := 1; lines.Scan(); n++ {
			if m := macroLine.FindStringSubmatch(lines.Text()); m != nil {
				macros[m[1]] = true
			}
			m := mnemonic.FindStringSubmatch(lines.Text())
			if m == nil || macros[m[1]] {
				continue
			}
			instructions++
			if feature := needs[m[1]]; feature != "" {
				use(n, m[1], feature)
			} else if !base.MatchString(m[1]) {
				t.Errorf("%s:%d: %s is not in the table", file, n, m[1])
			}
			if ymmRegister.MatchString(m[2]) {
				use(n, "a ymm register", "avx2")
			}
			if evexOnly.MatchString(m[2]) {
				use(n, "a register of AVX-512", "avx512")
			}
		}
		if err := lines.Err(); err != nil {
			t.Error(err)
		}
		if instructions < 50 {
			t.Errorf("%s: %d instructions", file, instructions)
		}
		for _, feature := range features[0] {
			if !used[feature] {
				t.Errorf("%s: %s is asked for and not used", file, feature)
			}
		}
	}
}
