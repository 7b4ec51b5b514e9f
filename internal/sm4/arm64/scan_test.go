package arm64

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// These tests read the assembly, so they run on every architecture.

var (
	// R18 is the system's on some, R27 the assembler's, R28 is g, R29 and R30
	// are the frame pointer and the link register.
	reserved = regexp.MustCompile(`\b(R18|R18_PLATFORM|R27|REGTMP|R28|g|R29|R30|LR|RSP)\b`)
	// The stack pointer may only be used to take the address of a local.
	stackUse = regexp.MustCompile(`\bSP\b`)
	local    = regexp.MustCompile(`MOVD\s+\$[a-z]+-[0-9]+\(SP\), R[0-9]+`)
)

func TestRegisters(t *testing.T) {
	files, _ := filepath.Glob("*.[hs]")
	if len(files) < 4 {
		t.Fatalf("only %d files", len(files))
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "//")
			if r := reserved.FindString(code); r != "" {
				t.Errorf("%s:%d: names %s", name, i+1, r)
			}
			if stackUse.MatchString(local.ReplaceAllString(code, "")) {
				t.Errorf("%s:%d: use of SP", name, i+1)
			}
		}
	}
}

// feature tells which feature an instruction needs that not every processor
// has on which Go runs, for the instructions that could turn up here.
func feature(word uint32) string {
	switch {
	case word&0xffffcc00 == 0x4e284800:
		return "aes" // AESE, AESD, AESMC, AESIMC
	case word&0xbfe0fc00 == 0x0ee0e000:
		return "pmull" // of 64 bits
	case word&0xfffffc00 == 0xcec08400, word&0xffe0fc00 == 0xce60c800:
		return "sm4" // SM4E, SM4EKEY
	case word>>24 == 0xce:
		return "sha3, sha512 or sm3"
	case word&0xff28fc00 == 0x5e280800, word&0xff208c00 == 0x5e000000:
		return "sha1 or sha2"
	}
	return ""
}

// TestInstructions disassembles the routines: those of tier neon have no
// instruction of an extension, those of aese only AES's, those of ce only SM4's.
func TestInstructions(t *testing.T) {
	program, err := exec.LookPath("go")
	if err != nil {
		t.Skip("not run: no go command")
	}
	binary := filepath.Join(t.TempDir(), "arm64.test")
	build := exec.Command(program, "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	dump := exec.Command(program, "tool", "objdump", "-s", `internal/sm4/arm64\.\w+\.abi0$`, binary)
	dump.Env = build.Env
	out, err := dump.Output()
	if err != nil {
		t.Fatalf("go tool objdump: %v", err)
	}
	text := regexp.MustCompile(`^TEXT \S+\.(\w+)\.abi0\(SB\)`)
	instruction := regexp.MustCompile(`^\s+\w+_arm64\.[hs]:\d+\s+0x[0-9a-f]+\s+([0-9a-f]{8})\s`)
	counts := map[string]map[string]int{}
	tier, name := "", ""
	for line := range strings.SplitSeq(string(out), "\n") {
		if m := text.FindStringSubmatch(line); m != nil {
			name, tier = m[1], ""
			for suffix, needs := range map[string]string{"NEON": "neon", "AESE": "aes", "CE": "sm4"} {
				if strings.HasSuffix(name, suffix) {
					tier = needs
				}
			}
			continue
		}
		m := instruction.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if tier == "" {
			t.Fatalf("%s: routine of no tier", name)
		}
		word, _ := strconv.ParseUint(m[1], 16, 32)
		f := feature(uint32(word))
		if counts[tier] == nil {
			counts[tier] = map[string]int{}
		}
		counts[tier][f]++
		if f != "" && f != tier {
			t.Errorf("%s: instruction %08x needs %s", name, word, f)
		}
	}
	// The scan must have seen what it looks for.
	if counts["neon"][""] < 500 || counts["aes"]["aes"] < 16 || counts["sm4"]["sm4"] < 300 {
		t.Errorf("too few instructions: %v", counts)
	}
}
