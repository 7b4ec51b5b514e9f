package routinetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	// R18 is the system's on some, R27 the assembler's, R28 is g, R29 and R30
	// are the frame pointer and the link register.
	reserved = regexp.MustCompile(`\b(R18|R18_PLATFORM|R27|REGTMP|R28|g|R29|R30|LR|RSP)\b`)
	// The stack pointer may only be used to take the address of a local.
	stackUse = regexp.MustCompile(`\bSP\b`)
	local    = regexp.MustCompile(`MOVD\s+\$[a-z]+-[0-9]+\(SP\), R[0-9]+`)
)

// Arm64Registers reads the assembly of the folder, at least so many files, and
// fails the test for each register named in it that belongs to others.
func Arm64Registers(t *testing.T, atLeast int) {
	files, _ := filepath.Glob("*.[hs]")
	if len(files) < atLeast {
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

// arm64Feature tells which feature an instruction needs that not every processor
// has on which Go runs, for the instructions that could turn up here.
func arm64Feature(word uint32) string {
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

var (
	arm64Text        = regexp.MustCompile(`^TEXT \S+\.(\w+)\.abi0\(SB\)`)
	arm64Instruction = regexp.MustCompile(`^\s+\w+_arm64\.[hs]:\d+\s+0x[0-9a-f]+\s+([0-9a-f]{8})\s`)
)

// Arm64Instructions disassembles the routines of the folder, which is that of
// the package named, and fails the test for each instruction that needs another
// feature than allowed(routine), if any. It returns how many instructions there
// are, by allowed(routine) and by the feature that they need.
func Arm64Instructions(t *testing.T, pkg string, allowed func(routine string) string) map[[2]string]int {
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
	dump := exec.Command(program, "tool", "objdump", "-s", pkg+`\.\w+\.abi0$`, binary)
	dump.Env = build.Env
	out, err := dump.Output()
	if err != nil {
		t.Fatalf("go tool objdump: %v", err)
	}
	counts := map[[2]string]int{}
	routine := ""
	for line := range strings.SplitSeq(string(out), "\n") {
		if m := arm64Text.FindStringSubmatch(line); m != nil {
			routine = m[1]
		}
		m := arm64Instruction.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		word, _ := strconv.ParseUint(m[1], 16, 32)
		needs, may := arm64Feature(uint32(word)), allowed(routine)
		counts[[2]string{may, needs}]++
		if needs != "" && needs != may {
			t.Errorf("%s: instruction %08x needs %s", routine, word, needs)
		}
	}
	return counts
}
