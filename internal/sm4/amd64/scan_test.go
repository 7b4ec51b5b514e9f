//go:build amd64 && !purego

package amd64

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The instructions that the routines may use, by the widest register among their
// operands. Whatever else turns up may need a feature that a tier does not ask
// for.
var (
	general = strings.Fields(`MOVQ MOVL LEAQ ADDQ ADDL SUBQ ANDQ SHLQ SHRQ SHRL XORL INCQ DECQ CMPQ TESTQ BSWAPL
		CMOVQEQ CMOVQHI CMOVQLT CMOVQGE JMP JE JNE JHI JAE JCC JCS RET BYTE PREFETCHT0`)
	avxOnX = strings.Fields(`VMOVD VMOVQ VMOVDQA VMOVDQU VPXOR VPAND VPADDD VPADDQ VPSHUFB VPSHUFD VPSRLD VPSRAD VPSRAW
		VPUNPCKLDQ VPUNPCKHDQ VPUNPCKLQDQ VPUNPCKHQDQ VPACKUSWB VPACKUSDW VPMOVZXBW VPINSRD VBROADCASTSS`)
	avx2OnY = strings.Fields(`VMOVDQA VMOVDQU VPXOR VPAND VPADDD VPSHUFB VPSHUFD VPSRLD VPSRLQ VPSLLQ VPSRLVQ VPSLLVQ VPSLLDQ
		VPUNPCKLDQ VPUNPCKHDQ VPUNPCKLQDQ VPUNPCKHQDQ VBROADCASTSS VPBROADCASTD VBROADCASTI128 VINSERTI128 VEXTRACTI128`)
	aesOnX    = []string{"VAESENCLAST"}
	gfniOnXY  = []string{"VGF2P8AFFINEQB", "VGF2P8AFFINEINVQB"}
	clmulOnY  = []string{"VPCLMULQDQ"}
	avx512OnX = []string{"VMOVDQU64", "VPTERNLOGQ", "VPRORD", "VPXORD", "VPALIGNR"}
	avx512OnY = []string{"VMOVDQU64", "VPXORQ", "VPTERNLOGQ"}

	// of GHASH
	hashOnX    = strings.Fields(`VPCLMULQDQ VPALIGNR VPBLENDW`)
	hashOnY    = strings.Fields(`VPCLMULQDQ VPALIGNR VPBLENDD`)
	hashOnEVEX = strings.Fields(`VPXORQ VPCLMULQDQ VPALIGNR VEXTRACTI64X2 VEXTRACTI64X4`)
	avx512OnZ  = strings.Fields(`VMOVDQU64 VPXORQ VPTERNLOGQ VPADDD VPSHUFB VPSHUFD VPSRLQ VPSLLQ VPSRLVQ VPSLLVQ VPSLLDQ VALIGNQ
		VPUNPCKLDQ VPUNPCKHDQ VPUNPCKLQDQ VPUNPCKHQDQ VPUNPCKLBW VPUNPCKHBW VBROADCASTSS VPBROADCASTB VPBROADCASTD
		VBROADCASTI32X4 VINSERTI64X2 VEXTRACTI64X2 VGF2P8AFFINEQB VGF2P8AFFINEINVQB VPCLMULQDQ`)
	avx512OnK = []string{"KMOVD"}
)

// level is what the routines of a file may use.
type level struct {
	x, y, z, k []string
	high       bool // registers from 16 on
}

var (
	levelAVX    = level{x: slices.Concat(avxOnX, aesOnX)}
	levelAVX2   = level{x: slices.Concat(avxOnX, aesOnX), y: avx2OnY}
	levelVAES   = level{x: slices.Concat(avxOnX, aesOnX), y: slices.Concat(avx2OnY, aesOnX, clmulOnY)}
	levelGFNI   = level{x: slices.Concat(avxOnX, gfniOnXY), y: slices.Concat(avx2OnY, gfniOnXY, clmulOnY)}
	levelHashX  = level{x: slices.Concat(avxOnX, aesOnX, hashOnX)}
	levelHashY  = level{x: slices.Concat(avxOnX, aesOnX, hashOnX), y: slices.Concat(avx2OnY, hashOnY)}
	levelHashYG = level{x: slices.Concat(avxOnX, gfniOnXY, hashOnX), y: slices.Concat(avx2OnY, hashOnY)}
	levelHashZ  = level{
		x: slices.Concat(avxOnX, gfniOnXY, avx512OnX, hashOnEVEX), y: hashOnEVEX,
		z: slices.Concat(avx512OnZ, hashOnEVEX), k: avx512OnK, high: true,
	}
	levelAVX512 = level{x: slices.Concat(avxOnX, gfniOnXY, avx512OnX), y: slices.Concat(avx2OnY, gfniOnXY, avx512OnY), z: avx512OnZ, k: avx512OnK, high: true}
)

var levels = map[string]level{
	"sm4_aesni_avx_amd64.s":   levelAVX,
	"sm4_aesni_avx2_amd64.s":  levelAVX2,
	"sm4_vaes_avx2_amd64.s":   levelVAES,
	"sm4_gfni_avx2_amd64.s":   levelGFNI,
	"sm4_gfni_avx512_amd64.s": levelAVX512,

	"gcm_aesni_clmul_amd64.s":         levelHashX,
	"gcm_aesni_vpclmul_avx2_amd64.s":  levelHashY,
	"gcm_gfni_vpclmul_avx2_amd64.s":   levelHashYG,
	"gcm_gfni_vpclmul_avx512_amd64.s": levelHashZ,
}

var (
	instruction = regexp.MustCompile(`^\t([A-Z][A-Z0-9]*)\s*(.*)$`)
	vector      = regexp.MustCompile(`\b([XYZK])(\d+)\b`)
	stack       = regexp.MustCompile(`\b(BP|SP)\b`)
)

// fault says what is wrong with an instruction in a file of that level. It
// returns "" if nothing is.
func fault(op, args string, l level) string {
	class := "" // of the widest register
	for _, r := range vector.FindAllStringSubmatch(args, -1) {
		if len(r[2]) > 1 && r[2] >= "16" && !l.high {
			return "register of AVX-512"
		}
		class = max(class, r[1])
	}
	operands := strings.Split(args, ", ")
	if dst := operands[len(operands)-1]; stack.MatchString(args) && op != "LEAQ" && !strings.Contains(args, "(FP)") || dst == "BP" || dst == "SP" {
		return "use of BP or SP"
	}
	list := map[string][]string{"": general, "K": l.k, "X": l.x, "Y": l.y, "Z": l.z}[class]
	switch {
	case op == "BYTE" && args != "$0x90":
		return "a byte that is no NOP"
	case op == "VZEROUPPER" && (l.y != nil || l.z != nil):
	case !slices.Contains(list, op):
		return "instruction on " + class + " is not on the list"
	case op == "VBROADCASTSS" && !strings.Contains(args, "("):
		return "VBROADCASTSS from a register is AVX2"
	}
	return ""
}

func TestInstructions(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := levels[f.Name()]; strings.HasSuffix(f.Name(), ".s") && !ok {
			t.Errorf("%s: no level", f.Name())
		}
	}
	for name, l := range levels {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		function, wide := "", false // whether registers wider than X were used
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "TEXT ") {
				function, wide = line, false
			}
			m := instruction.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			n++
			if f := fault(m[1], m[2], l); f != "" {
				t.Errorf("%s:%d: %s: %s", name, i+1, f, strings.TrimSpace(line))
			}
			for _, r := range vector.FindAllStringSubmatch(m[2], -1) {
				wide = wide || r[1] == "Y" || r[1] == "Z"
			}
			switch m[1] {
			case "VZEROUPPER":
				wide = false
			case "RET":
				if wide {
					t.Errorf("%s:%d: no VZEROUPPER at the end of %s", name, i+1, function)
				}
			}
		}
		if n < 200 || n < 1000 && strings.HasPrefix(name, "sm4_") {
			t.Errorf("%s: found %d instructions only", name, n)
		}
		if !strings.Contains(string(text), "//go:build amd64 && !purego\n") {
			t.Errorf("%s: wrong build constraint", name)
		}
	}
}

// TestInstructionsFault checks that the scan finds what it is there for.
func TestInstructionsFault(t *testing.T) {
	for _, c := range []struct {
		op, args string
		level    level
		ok       bool
	}{
		{"VPXOR", "X1, X2, X3", levelAVX, true},
		{"VPXOR", "Y1, Y2, Y3", levelAVX, false},
		{"VPXOR", "Y1, Y2, Y3", levelAVX2, true},
		{"VPXOR", "X16, X2, X3", levelAVX2, false},
		{"PXOR", "X1, X2", levelAVX, false},
		{"VPBROADCASTD", "X1, X2", levelAVX, false},
		{"VBROADCASTSS", "X1, X2", levelAVX, false},
		{"VBROADCASTSS", "(AX), X2", levelAVX, true},
		{"VINSERTI128", "$0x01, X1, Y2, Y2", levelAVX, false},
		{"VEXTRACTI128", "$0x01, Y2, X2", levelAVX2, true},
		{"VAESENCLAST", "X1, X2, X2", levelAVX2, true},
		{"VAESENCLAST", "Y1, Y2, Y2", levelAVX2, false},
		{"VAESENCLAST", "Y1, Y2, Y2", levelVAES, true},
		{"VAESENCLAST", "X1, X2, X2", levelGFNI, false},
		{"VGF2P8AFFINEQB", "$0x00, X1, X2, X2", levelVAES, false},
		{"VGF2P8AFFINEQB", "$0x00, Y1, Y2, Y2", levelGFNI, true},
		{"VPCLMULQDQ", "$0x00, Y1, Y2, Y2", levelAVX2, false},
		{"VPTERNLOGQ", "$0x96, X1, X2, X2", levelGFNI, false},
		{"VPTERNLOGQ", "$0x96, X1, X2, X2", levelAVX512, true},
		{"VMOVDQU64", "Z1, (AX)", levelGFNI, false},
		{"VMOVDQU64", "Z1, K1, (AX)", levelAVX512, true},
		{"VPERMB", "Z1, Z2, Z3", levelAVX512, false},
		{"KMOVQ", "AX, K1", levelAVX512, false},
		{"ANDQ", "$-32, SP", levelAVX, false},
		{"MOVQ", "AX, BP", levelAVX, false},
		{"PEXTQ", "AX, BX, CX", levelAVX, false},
	} {
		if f := fault(c.op, c.args, c.level); (f == "") != c.ok {
			t.Errorf("%s %s: got fault %q", c.op, c.args, f)
		}
	}
}
