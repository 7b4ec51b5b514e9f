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
// for. This test reads the assembly, so it runs on every architecture.
var (
	general   = strings.Fields(`MOVQ MOVL LEAQ ADDQ SUBQ ANDQ NEGQ SHLQ SHLL NOTL DECQ JNZ JZ JNE JEQ JB JAE JCS JCC RET`)
	avxOnX    = strings.Fields(`VMOVDQU VMOVDQA VPXOR VPAND VPSHUFB VPSHUFD VPSLLQ VPSRLQ VPSRAD VPSLLDQ VPALIGNR VPBLENDW VPCLMULQDQ`)
	avx2OnY   = strings.Fields(`VMOVDQU VPXOR VPSHUFB VPSHUFD VPALIGNR VPBLENDD VPCLMULQDQ VBROADCASTI128 VINSERTI128 VEXTRACTI128`)
	avx512OnZ = strings.Fields(`VMOVDQU64 VMOVDQU64.Z VPXORQ VPTERNLOGQ VPSHUFB VPSHUFD VPALIGNR VPCLMULQDQ VBROADCASTI32X4
		VSHUFI64X2 VINSERTI64X4 VEXTRACTI64X4`)
	avx512OnK = strings.Fields(`KMOVB KNOTB`)
)

// level is what the routines of a file may use.
type level struct {
	x, y, z, k []string
	high       bool // registers from 16 on
}

var (
	levelAVX    = level{x: avxOnX}
	levelAVX2   = level{x: avxOnX, y: avx2OnY}
	levelAVX512 = level{x: avxOnX, y: avx2OnY, z: avx512OnZ, k: avx512OnK, high: true}
)

var levels = map[string]level{
	"ghash_clmul_amd64.s":          levelAVX,
	"ghash_vpclmul_avx2_amd64.s":   levelAVX2,
	"ghash_vpclmul_avx512_amd64.s": levelAVX512,
}

var (
	instruction = regexp.MustCompile(`^\t([A-Z][A-Z0-9.]*)\s*(.*)$`)
	vector      = regexp.MustCompile(`\b([XYZK])(\d+)\b`)
	stack       = regexp.MustCompile(`\b(BP|SP)\b`)
)

// fault says what is wrong with an instruction in a file of that level. It
// returns "" if nothing is.
func fault(op, args string, l level) string {
	class := "" // of the widest register, masks being the narrowest
	for _, r := range vector.FindAllStringSubmatch(args, -1) {
		if len(r[2]) > 1 && r[2] >= "16" && !l.high {
			return "register of AVX-512"
		}
		class = max(class, r[1]) // K < X < Y < Z
	}
	list := map[string][]string{"": general, "K": l.k, "X": l.x, "Y": l.y, "Z": l.z}[class]
	switch {
	case stack.MatchString(args):
		return "use of BP or SP"
	case op == "VZEROUPPER" && l.y != nil:
	case !slices.Contains(list, op):
		return "instruction on " + class + " is not on the list"
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
		n, multiplications := 0, 0
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
			case "VPCLMULQDQ":
				multiplications++
			case "VZEROUPPER":
				wide = false
			case "RET":
				if wide {
					t.Errorf("%s:%d: no VZEROUPPER at the end of %s", name, i+1, function)
				}
			}
		}
		// The scan must have seen what it looks for.
		if n < 200 || multiplications < 50 {
			t.Errorf("%s: found %d instructions and %d multiplications only", name, n, multiplications)
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
		{"PCLMULQDQ", "$0x00, X1, X2", levelAVX, false},
		{"VPCLMULQDQ", "$0x00, X1, X2, X2", levelAVX, true},
		{"VPCLMULQDQ", "$0x00, (AX), Y2, Y2", levelAVX, false},
		{"VPBLENDD", "$0x0c, X1, X2, X2", levelAVX, false},
		{"VPTERNLOGQ", "$0x96, X1, X2, X2", levelAVX512, false},
		{"VPXORQ", "Z1, Z2, K1, Z2", levelAVX512, true},
		{"VMOVDQU64.Z", "(SI), K1, Z6", levelAVX512, true},
		{"KMOVB", "AX, K1", levelAVX512, true},
		{"KMOVB", "AX, K1", levelAVX2, false},
		{"VPERMB", "Z1, Z2, Z3", levelAVX512, false},
		{"VZEROUPPER", "", levelAVX, false},
		{"ANDQ", "$-32, SP", levelAVX, false},
		{"MOVQ", "AX, BP", levelAVX, false},
		{"PEXTQ", "AX, BX, CX", levelAVX, false},
	} {
		if f := fault(c.op, c.args, c.level); (f == "") != c.ok {
			t.Errorf("%s %s: got fault %q", c.op, c.args, f)
		}
	}
}
