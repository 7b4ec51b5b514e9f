//go:build amd64 && !purego

package amd64

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The instructions that the routines may use. Whatever else turns up may need a
// feature that a tier does not ask for.
var (
	general = strings.Fields(`MOVQ MOVL LEAQ ADDQ ADDL SUBQ ANDQ SHLQ DECQ CMPQ TESTQ BSWAPL
		CMOVQEQ CMOVQHI CMOVQLT JMP JE JNE JHI JAE RET`)
	avxOnX = strings.Fields(`VMOVD VMOVDQA VMOVDQU VPXOR VPAND VPADDD VPSHUFB VPSHUFD VPSRLD VPSRAW
		VPUNPCKLDQ VPUNPCKHDQ VPUNPCKLQDQ VPUNPCKHQDQ VPACKUSWB VPMOVZXBW VPINSRD VBROADCASTSS VAESENCLAST`)
	avx2OnY = strings.Fields(`VMOVDQA VMOVDQU VPXOR VPAND VPADDD VPSHUFB VPSRLD
		VPUNPCKLDQ VPUNPCKHDQ VPUNPCKLQDQ VPUNPCKHQDQ VBROADCASTSS VPBROADCASTD VINSERTI128 VEXTRACTI128`)
)

var (
	instruction = regexp.MustCompile(`^\t([A-Z][A-Z0-9]*)\s*(.*)$`)
	vector      = regexp.MustCompile(`\b([XYZK])(\d+)\b`)
	stack       = regexp.MustCompile(`\b(BP|SP)\b`)
)

// fault says what is wrong with an instruction in a file of xmm routines or, if
// wide, of ymm routines. It returns "" if nothing is.
func fault(op, args string, wide bool) string {
	class := "" // of the widest register
	for _, r := range vector.FindAllStringSubmatch(args, -1) {
		if r[1] == "Z" || r[1] == "K" || len(r[2]) > 1 && r[2] >= "16" {
			return "register of AVX-512"
		}
		class = max(class, r[1])
	}
	operands := strings.Split(args, ", ")
	if dst := operands[len(operands)-1]; stack.MatchString(args) && op != "LEAQ" && !strings.HasSuffix(operands[0], "(FP)") || dst == "BP" || dst == "SP" {
		return "use of BP or SP"
	}
	switch {
	case op == "VZEROUPPER" && wide:
	case class == "" && !slices.Contains(general, op):
		return "instruction is not on the list"
	case class == "X" && !slices.Contains(avxOnX, op):
		return "instruction on X is not on the list"
	case class == "Y" && !wide:
		return "Y register in the AVX tier"
	case class == "Y" && !slices.Contains(avx2OnY, op):
		return "instruction on Y is not on the list"
	case op == "VBROADCASTSS" && !strings.Contains(args, "("):
		return "VBROADCASTSS from a register is AVX2"
	}
	return ""
}

func TestInstructions(t *testing.T) {
	for name, wide := range map[string]bool{"sm4_aesni_avx_amd64.s": false, "sm4_aesni_avx2_amd64.s": true} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, line := range strings.Split(string(text), "\n") {
			m := instruction.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			n++
			if f := fault(m[1], m[2], wide); f != "" {
				t.Errorf("%s:%d: %s: %s", name, i+1, f, strings.TrimSpace(line))
			}
		}
		if n := strings.Count(string(text), "\tRET\n"); wide && strings.Count(string(text), "\tVZEROUPPER\n") != n {
			t.Errorf("%s: not every routine ends with VZEROUPPER", name)
		}
		if n < 1000 {
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
		wide, ok bool
	}{
		{"VPXOR", "X1, X2, X3", false, true},
		{"VPXOR", "Y1, Y2, Y3", false, false},
		{"VPXOR", "Y1, Y2, Y3", true, true},
		{"VPXOR", "X16, X2, X3", true, false},
		{"PXOR", "X1, X2", false, false},
		{"VPBROADCASTD", "X1, X2", false, false},
		{"VBROADCASTSS", "X1, X2", false, false},
		{"VBROADCASTSS", "(AX), X2", false, true},
		{"VINSERTI128", "$0x01, X1, Y2, Y2", false, false},
		{"VEXTRACTI128", "$0x01, Y2, X2", true, true},
		{"VAESENCLAST", "X1, X2, X2", true, true},
		{"VAESENCLAST", "Y1, Y2, Y2", true, false},
		{"VGF2P8AFFINEQB", "$0x00, X1, X2, X2", true, false},
		{"VPTERNLOGD", "$0x96, X1, X2, X2", true, false},
		{"VMOVDQU32", "Z1, (AX)", true, false},
		{"ANDQ", "$-32, SP", false, false},
		{"MOVQ", "AX, BP", false, false},
		{"PEXTQ", "AX, BX, CX", false, false},
	} {
		if f := fault(c.op, c.args, c.wide); (f == "") != c.ok {
			t.Errorf("%s %s: got fault %q", c.op, c.args, f)
		}
	}
}
