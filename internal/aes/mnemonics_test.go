package aes

import (
	"bufio"
	"os"
	"regexp"
	"slices"
	"testing"

	"ucrypt/internal/cpu"
)

// needs tells which feature an instruction of the assembly needs at least. Those
// that every processor has on which Go runs are in base.
var needs = map[string]cpu.Feature{
	"AESENC": cpu.AES, "AESENCLAST": cpu.AES, "AESDEC": cpu.AES, "AESDECLAST": cpu.AES, "AESIMC": cpu.AES,
	"PSHUFB": cpu.SSSE3,

	"VMOVDQU": cpu.AVX, "VMOVDQA": cpu.AVX, "VMOVQ": cpu.AVX, "VPXOR": cpu.AVX, "VPAND": cpu.AVX, "VPADDQ": cpu.AVX,
	"VPSHUFB": cpu.AVX, "VPSHUFD": cpu.AVX, "VPSRAD": cpu.AVX, "VZEROUPPER": cpu.AVX,
	"VPSLLDQ": cpu.AVX, "VPSRLDQ": cpu.AVX, "VPSLLQ": cpu.AVX, "VPSRLQ": cpu.AVX,

	"VBROADCASTI128": cpu.AVX2, "VINSERTI128": cpu.AVX2, "VEXTRACTI128": cpu.AVX2, "VPERMQ": cpu.AVX2, "VPSLLVQ": cpu.AVX2, "VPSRLVQ": cpu.AVX2,

	// In xmm registers AES and PCLMULQDQ with AVX would do; no tier has only these.
	"VAESENC": cpu.VAES, "VAESENCLAST": cpu.VAES, "VAESDEC": cpu.VAES, "VAESDECLAST": cpu.VAES,
	"VPCLMULQDQ": cpu.VPCLMULQDQ,

	"VMOVDQU64": cpu.AVX512, "VMOVDQA64": cpu.AVX512, "VPXORQ": cpu.AVX512, "VPTERNLOGQ": cpu.AVX512, "VALIGNQ": cpu.AVX512,
	"VBROADCASTI32X4": cpu.AVX512, "VSHUFI32X4": cpu.AVX512, "VEXTRACTI32X4": cpu.AVX512, "VEXTRACTI64X4": cpu.AVX512,
}

var base = regexp.MustCompile(`^(MOV[LQ]|LEA[LQ]|ADD[LQ]|SUB[LQ]|AND[LQ]|XORL|NEG[LQ]|INC[LQ]|DEC[LQ]|SHL[LQ]|CMP[LQ]|TEST[LQ]|J[A-Z]+|RET|TEXT|DATA|GLOBL` +
	`|MOVOU|MOVOA|PXOR|PAND|PADDQ|PSRAL|PSLLL|PSLLDQ|PSLLO|PSHUFD|PSHUFL)$`)

var (
	macro       = regexp.MustCompile(`^#define ([A-Z0-9]+)`)
	instruction = regexp.MustCompile(`^\s*([A-Z][A-Z0-9]*)\b(.*)`)
	wideYMM     = regexp.MustCompile(`\bY[0-9]`)
	evexOnly    = regexp.MustCompile(`\bZ[0-9]|\bK[0-7]\b|\b[XY](1[6-9]|2[0-9]|3[01])\b`)
)

// No instruction of a tier needs a feature that the tier does not ask for.
func TestMnemonics(t *testing.T) {
	for file, tier := range map[string]Tier{
		"amd64/aes_aesni_amd64.s":       AESNI,
		"amd64/aes_vaes_avx2_amd64.s":   VAESAVX2,
		"amd64/aes_vaes_avx512_amd64.s": VAESAVX512,
		"386/aes_aesni_386.s":           AESNI,
	} {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		features := facts[tier].Features
		used := map[cpu.Feature]bool{}
		macros := map[string]bool{}
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			if m := macro.FindStringSubmatch(lines.Text()); m != nil {
				macros[m[1]] = true
			}
			m := instruction.FindStringSubmatch(lines.Text())
			if m == nil || macros[m[1]] || base.MatchString(m[1]) {
				continue
			}
			feature, ok := needs[m[1]]
			if !ok {
				t.Errorf("%s:%d: %s is not in the table", file, n, m[1])
				continue
			}
			used[feature] = true
			if !slices.Contains(features, feature) {
				t.Errorf("%s:%d: %s needs %v, which %v does not ask for", file, n, m[1], cpu.Names([]cpu.Feature{feature}), tier)
			}
			if wideYMM.MatchString(m[2]) {
				used[cpu.AVX2] = true
				if !slices.Contains(features, cpu.AVX2) {
					t.Errorf("%s:%d: ymm register in %v", file, n, tier)
				}
			}
			if evexOnly.MatchString(m[2]) && !slices.Contains(features, cpu.AVX512) {
				t.Errorf("%s:%d: register of AVX-512 in %v", file, n, tier)
			}
		}
		if err := lines.Err(); err != nil {
			t.Error(err)
		}
		// The wide tiers use the routines of aesni for the serial modes.
		for _, feature := range features {
			if !used[feature] && feature != cpu.SSSE3 && !(tier != AESNI && feature == cpu.AES) {
				t.Errorf("%s: %v asks for %v, which it does not use", file, tier, cpu.Names([]cpu.Feature{feature}))
			}
		}
	}
}
