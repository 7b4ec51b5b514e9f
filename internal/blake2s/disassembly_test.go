package blake2s_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// instruction is one line of a disassembly, in GNU's syntax.
type instruction struct {
	address  uint64
	encoding string
	name     string
	operands string
}

func (i instruction) String() string { return fmt.Sprintf("%#x: %s %s", i.address, i.name, i.operands) }

// names reports whether an operand is or holds one of the registers.
func (i instruction) names(registers string) bool {
	return regexp.MustCompile(`\b(` + registers + `)\b`).MatchString(i.operands)
}

// disassemble assembles a file for arch and returns its instructions.
func disassemble(t *testing.T, arch, goarm, file string) []instruction {
	t.Helper()
	if emulated {
		t.Skip("not run: disassembly: it is the same on every processor")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the go command is not in PATH")
		}
		t.Skip("not run: disassembly: the go command is not in PATH")
	}
	run := func(args ...string) string {
		cmd := exec.Command(goCommand, args...)
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "GOARM="+goarm)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
		}
		return string(out)
	}
	object := filepath.Join(t.TempDir(), "object")
	include := filepath.Join(strings.TrimSpace(run("env", "GOROOT")), "pkg", "include")
	run("tool", "asm", "-p", "p", "-I", include, "-o", object, file)
	// What the disassembler does not know has no GNU form behind the slashes.
	line := regexp.MustCompile(`^\s*\S+:\d+\s+0x([0-9a-f]+)\s+([0-9a-f]+)\s+[^/]*(?:// (\S+) ?(.*?))?\s*$`)
	var all []instruction
	for l := range strings.Lines(run("tool", "objdump", "-gnu", object)) {
		m := line.FindStringSubmatch(l)
		if m == nil {
			if !strings.HasPrefix(l, "TEXT") && strings.TrimSpace(l) != "" {
				t.Errorf("the disassembler's line %q is not understood", l)
			}
			continue
		}
		address, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, instruction{address, m[2], cmp.Or(m[3], "unknown"), m[4]})
	}
	if len(all) < 1000 {
		t.Fatalf("%d instructions in %s", len(all), file)
	}
	return all
}

// TestArmDisassembly looks at what the assembler made of the 32-bit Arm
// routine, since an emulator lets pass much that a processor does not: only
// instructions that ARMv4 has, only aligned loads and stores, nothing done to g
// and the stack pointer, and nothing expanded through R11.
func TestArmDisassembly(t *testing.T) {
	var first []instruction
	for _, goarm := range []string{"5", "6", "7"} {
		all := disassemble(t, "arm", goarm, filepath.Join("arm", "compress_arm.s"))
		if first == nil {
			first = all
		} else if !slices.Equal(all, first) {
			t.Errorf("GOARM=%s makes other code than GOARM=5", goarm)
		}
	}
	allowed := strings.Fields("add adds eor orr tst cmp b bne bcs ldr str ldrb ldm ldmdb stm stmdb")
	local := regexp.MustCompile(`^\w+, \[sp, #(\d+)\]$`)
	address := regexp.MustCompile(`^lr, sp, #(\d+)$`)
	literal := regexp.MustCompile(`^\w+, \[pc, #(\d+)\]$`)
	aligned := func(i instruction, offset string) {
		if n, err := strconv.Atoi(offset); err != nil || n%4 != 0 || n == 0 {
			t.Errorf("%s: not aligned, or the saved link register", i)
		}
	}
	literals := map[uint64]bool{}
	for _, i := range first {
		if m := literal.FindStringSubmatch(i.operands); m != nil {
			n, _ := strconv.ParseUint(m[1], 10, 64)
			literals[i.address+8+n] = true
		}
	}
	tested := false
	saved, restored := 0, 0
	for n, i := range first {
		if literals[i.address] {
			continue
		}
		if !slices.Contains(allowed, i.name) {
			t.Errorf("%s: not an instruction that the routine may have", i)
		}
		if i.names("sl|r10") {
			t.Errorf("%s: names g", i)
		}
		if i.names("fp|r11") && strings.HasPrefix(i.operands, "fp,") && i.name != "eor" {
			t.Errorf("%s: the assembler's temporary is written", i)
		}
		switch {
		case !i.names("sp"):
		case i.name == "str" && regexp.MustCompile(`^lr, \[sp, #-\d+\]!$`).MatchString(i.operands):
			saved++
		case i.name == "ldr" && regexp.MustCompile(`^pc, \[sp\], #\d+$`).MatchString(i.operands):
			restored++
		case (i.name == "ldr" || i.name == "str") && local.MatchString(i.operands):
			aligned(i, local.FindStringSubmatch(i.operands)[1])
		case i.name == "add" && address.MatchString(i.operands):
			aligned(i, address.FindStringSubmatch(i.operands)[1])
		default:
			t.Errorf("%s: does something else with the stack pointer", i)
		}
		// The message, at ip, is read by ldm once its address was tested, and
		// otherwise by bytes.
		if i.name == "tst" && i.operands == "ip, #3" && first[n+1].name == "bne" {
			tested = true
		}
		if message := strings.HasPrefix(i.operands, "ip!") || strings.Contains(i.operands, "[ip"); message &&
			i.name != "ldrb" && (i.name != "ldm" || !tested) {
			t.Errorf("%s: the message need not be aligned", i)
		}
	}
	if saved != 1 || restored != 1 || !tested {
		t.Errorf("link register saved %d times and restored %d times, alignment tested: %v", saved, restored, tested)
	}
}

// TestArm64Disassembly: the platform's register, g, the frame pointer, the link
// register and the assembler's temporary are not named.
func TestArm64Disassembly(t *testing.T) {
	for _, i := range disassemble(t, "arm64", "", filepath.Join("arm64", "compress_arm64.s")) {
		if i.names("[xw](18|27|28|29|30)|wsp") {
			t.Errorf("%s: names a register that belongs to others", i)
		}
		if i.names("sp") && i.name != "ldr" && i.name != "str" {
			t.Errorf("%s: does something with the stack pointer", i)
		}
	}
}
