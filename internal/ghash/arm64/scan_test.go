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
	stackUse = regexp.MustCompile(`\bSP\b`)
)

func TestRegisters(t *testing.T) {
	files, _ := filepath.Glob("*.[hs]")
	if len(files) < 1 {
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
			if stackUse.MatchString(code) {
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
	case word>>24 == 0xce:
		return "sha3, sha512, sm3 or sm4"
	case word&0xff28fc00 == 0x5e280800, word&0xff208c00 == 0x5e000000:
		return "sha1 or sha2"
	}
	return ""
}

// TestInstructions disassembles the routines, which need FEAT_PMULL and no other.
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
	dump := exec.Command(program, "tool", "objdump", "-s", `internal/ghash/arm64\.\w+\.abi0$`, binary)
	dump.Env = build.Env
	out, err := dump.Output()
	if err != nil {
		t.Fatalf("go tool objdump: %v", err)
	}
	instruction := regexp.MustCompile(`(?m)^\s+\w+_arm64\.[hs]:\d+\s+0x[0-9a-f]+\s+([0-9a-f]{8})\s`)
	counts := map[string]int{}
	for _, m := range instruction.FindAllStringSubmatch(string(out), -1) {
		word, _ := strconv.ParseUint(m[1], 16, 32)
		f := feature(uint32(word))
		counts[f]++
		if f != "" && f != "pmull" {
			t.Errorf("instruction %08x needs %s", word, f)
		}
	}
	// The scan must have seen what it looks for.
	if counts[""] < 100 || counts["pmull"] < 40 {
		t.Errorf("too few instructions: %v", counts)
	}
}
