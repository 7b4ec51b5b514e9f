package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"ucrypt/internal/speed"
)

// armCommands are what counts instructions on emulated Arm processors, in the
// folder above this module.
var armCommands = []struct {
	title string
	args  []string
}{
	{"arm64", []string{"-table", "arm64", "-drivers", "sm4-(ce|neon|aese|generic)|aes-ce|blake2s-256|ghash-(ce|generic)"}},
	{"32-bit Arm (GOARM 7), BLAKE2s", []string{"-table", "arm", "-drivers", "blake2s-256"}},
	{"32-bit Arm (GOARM 5, an ARM926), BLAKE2s", []string{"-table", "arm", "-goarm", "5", "-cpu", "arm926", "-drivers", "blake2s-256"}},
}

// arm is what the commands printed, and what of it could be read.
type arm struct {
	text   [3]string
	counts [3]armCounts
}

// armCounts are figures by what they are of: instructions of whole calls, and
// cycles of Neoverse N1 for a byte in inner loops.
type armCounts struct {
	calls  map[armKey]float64
	cycles map[string]float64
}

type armKey struct {
	driver string
	bits   int // of the key; 0 without one
	op     string
	bytes  string // as the head of the column has it
}

// countArm runs the commands. What is missing for one is its text.
func countArm() *arm {
	a := &arm{}
	for i, c := range armCommands {
		cmd := exec.Command("go", append([]string{"run", "./internal/icount"}, c.args...)...)
		cmd.Dir = ".."
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		a.text[i], a.counts[i] = out.String(), parseArm(out.String())
		if err != nil {
			lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
			for len(lines) > 1 && strings.HasPrefix(lines[len(lines)-1], "exit status") { // of go run
				lines = lines[:len(lines)-1]
			}
			a.text[i] = strings.TrimLeft(a.text[i]+"\n\n", "\n") + "Not run here: " + lines[len(lines)-1] + "\n"
		}
	}
	return a
}

// parseArm reads icount's tables.
func parseArm(text string) armCounts {
	c := armCounts{map[armKey]float64{}, map[string]float64{}}
	var head []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case cells[0] == "driver" || cells[0] == "loop":
			head = cells
		case len(cells) != len(head):
		case head[0] == "loop":
			for i, model := range head {
				if x, err := strconv.ParseFloat(cells[i], 64); err == nil && model == "neoverse-n1" {
					c.cycles[cells[0]] = x
				}
			}
		default:
			bits, _ := strconv.Atoi(cells[1])
			for i := 3; i < len(cells); i++ {
				count, _, _ := strings.Cut(cells[i], " ")
				if x, err := strconv.ParseFloat(count, 64); err == nil {
					c.calls[armKey{strings.Trim(cells[0], "`"), bits, cells[2], head[i]}] = x
				}
			}
		}
	}
	return c
}

// call is the instructions of a whole call, 0 if they were not counted.
func (c armCounts) call(driver string, bits int, op string, bytes int) float64 {
	column := strconv.Itoa(bytes)
	if bytes == 1420 || bytes == 1424 {
		column = "1420/1424"
	}
	return c.calls[armKey{driver, bits, op, column}]
}

// armBar is a bar and the figures that it is of.
type armBar struct {
	what, at, bar string
	least         bool // figures are ratios, of which the bar is the least
	limits        []float64
	figures       []float64
}

// bars are those of arm64.
func (c armCounts) bars() []armBar {
	perByte := func(driver string, bits int, op string) float64 { return c.call(driver, bits, op, 4096) / 4096 }
	fewer := func(template, driver string, bits int, op string, bytes int) float64 {
		return c.call(template, bits, op, bytes) / c.call(driver, bits, op, bytes)
	}
	over := func(bytes int) float64 {
		return c.call("xts(ecb-sm4-ce)", 256, "encrypt", bytes) - c.call("ecb-sm4-ce", 128, "encrypt", bytes)
	}
	neon := func(tier string) float64 {
		return c.cycles["sm4-generic, 2 blocks"] / c.cycles["sm4-"+tier+", 16 blocks"]
	}
	return []armBar{
		{"ecb-sm4-ce; cbc-sm4-ce decrypt", "4 KiB, a byte", "0.95; 1.15", false, []float64{0.95, 1.15},
			[]float64{perByte("ecb-sm4-ce", 128, "encrypt"), perByte("cbc-sm4-ce", 128, "decrypt")}},
		{"ctr-sm4-ce; xts-sm4-ce", "4 KiB, a byte", "1.2; 1.45", false, []float64{1.2, 1.45},
			[]float64{perByte("ctr-sm4-ce", 128, "encrypt"), perByte("xts-sm4-ce", 256, "encrypt")}},
		{"cbc-sm4-ce encrypt", "4 KiB, a byte", "1.6", false, []float64{1.6}, []float64{perByte("cbc-sm4-ce", 128, "encrypt")}},
		{"xts-aes-ce, AES-256", "4 KiB, a byte", "2.6", false, []float64{2.6}, []float64{perByte("xts-aes-ce", 512, "encrypt")}},
		{"xts(ecb-sm4-ce) over xts-sm4-ce", "16 B; 4 KiB", "1.9 x; 1.1 x", true, []float64{1.9, 1.1},
			[]float64{fewer("xts(ecb-sm4-ce)", "xts-sm4-ce", 256, "encrypt", 16), fewer("xts(ecb-sm4-ce)", "xts-sm4-ce", 256, "encrypt", 4096)}},
		{"xts(ecb-sm4-ce) beyond ecb-sm4-ce, 300 a call and 1.5 a byte", "16; 64; 128; 256 B; 4 KiB", "324; 396; 492; 684; 6444", false,
			[]float64{324, 396, 492, 684, 6444}, []float64{over(16), over(64), over(128), over(256), over(4096)}},
		{"cts(cbc-sm4-ce) over cts-cbc-sm4-ce, encrypt; decrypt", "32 B", "1.8 x", true, []float64{1.8, 1.8},
			[]float64{fewer("cts(cbc-sm4-ce)", "cts-cbc-sm4-ce", 128, "encrypt", 32), fewer("cts(cbc-sm4-ce)", "cts-cbc-sm4-ce", 128, "decrypt", 32)}},
		{"cts(cbc-aes-ce) over cts-cbc-aes-ce, encrypt 128; 256; decrypt 128; 256", "32 B", "1.8 x", true, []float64{1.8, 1.8, 1.8, 1.8},
			[]float64{fewer("cts(cbc-aes-ce)", "cts-cbc-aes-ce", 128, "encrypt", 32), fewer("cts(cbc-aes-ce)", "cts-cbc-aes-ce", 256, "encrypt", 32),
				fewer("cts(cbc-aes-ce)", "cts-cbc-aes-ce", 128, "decrypt", 32), fewer("cts(cbc-aes-ce)", "cts-cbc-aes-ce", 256, "decrypt", 32)}},
		{"ctr(sm4-generic) over ctr-sm4-neon; over ctr-sm4-aese", "4 KiB", "4 x", true, []float64{4, 4},
			[]float64{fewer("ctr(sm4-generic)", "ctr-sm4-neon", 128, "encrypt", 4096), fewer("ctr(sm4-generic)", "ctr-sm4-aese", 128, "encrypt", 4096)}},
		{"the same, cycles of Neoverse N1, loops only", "", "2.5 x", true, []float64{2.5, 2.5}, []float64{neon("neon"), neon("aese")}},
	}
}

// line is the bar's row of a table.
func (b armBar) line() string {
	var figures []string
	for i, x := range b.figures {
		s, met := strconv.FormatFloat(x, 'f', 2, 64), x <= b.limits[i]
		if x >= 100 {
			s = strconv.FormatFloat(x, 'f', 0, 64)
		}
		if b.least {
			s, met = s+" x", x >= b.limits[i]
		}
		switch {
		case x != x || x <= 0 || x > 1e12: // NaN or infinite: one side was not counted
			s = "not counted"
		case !met:
			s = "**" + s + "**"
		}
		figures = append(figures, s)
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", b.what, b.at, b.bar, strings.Join(figures, "; "))
}

const armHead = `
# Arm: instructions and cycle estimates

There is no Arm hardware behind these figures. The instructions are counted under qemu-user and are the same in every
run; the cycles are llvm-mca's for the routines' inner loops. Both are good for comparing code, and say little of how fast
it is: no cache, no front end, no branch prediction. An instruction count is that of a whole call through the registry,
checks included, in place, and in brackets by the byte. An xts key is two keys: 256 bits are two of AES-128 or of SM4.
`

const armBarsHead = `
What falls short of its bar is bold.

| | at | bar | here |
|---|---|---|---|
`

const armBarsFoot = `
ecb takes whole blocks only. Where the template has a partial block, it calls the cipher once more, which 1.5 a byte make up for
at 1420 bytes and not yet at 17.

The cycles of tier neon fall short because a table in 16 registers costs Neoverse N1 12 vector operations for 16 bytes with
TBL alone (its model has 3 for a TBL of four registers and 5 for a TBX), on two pipes. 2.5 x would leave 19 for everything,
and the key, the sums and L take 10 of them. Neoverse N1 has the AES instructions, so that tier aese serves there. Tier neon
is for the processors without them, the Raspberry Pi 3's Cortex-A53 and 4's Cortex-A72, and TBX is the better choice there:

| sm4-neon, 16 blocks | instructions | neoverse-n1 | cortex-a72 | cortex-a53 | cortex-a55 |
|---|---|---|---|---|---|
| sm4-generic, 2 blocks | 38.00 | 12.01 | 18.39 | 61.50 | 63.50 |
| TBL, then three TBX, as it is | 8.44 | 8.13 | 13.19 | 12.53 | 11.91 |
| four TBL and ORR (tried) | 9.94 | 7.38 | 14.44 | 16.28 | 14.41 |

Other forms have more instructions than the 11 a byte that 4 x fewer allows, by counting vector operations: an inversion in
GF(2^4) with tables of 16 entries 13 to 15 (nine TBL of one register and fourteen operations around them for 16 bytes of a round,
with L in the tables' outputs; 7 for the key, the sums, loads and stores), bit slices of 128 blocks 13.5.
`

// section is all that the commands told.
func (a *arm) section() string {
	var b strings.Builder
	b.WriteString(armHead)
	for i, c := range armCommands {
		args := make([]string, len(c.args))
		for j, arg := range c.args {
			if args[j] = arg; strings.ContainsAny(arg, "|(") {
				args[j] = "'" + arg + "'"
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n    go run ./internal/icount %s\n", c.title, strings.Join(args, " "))
		if i == 0 && len(a.counts[i].calls) > 0 {
			b.WriteString(armBarsHead)
			for _, bar := range a.counts[i].bars() {
				b.WriteString(bar.line())
			}
			b.WriteString(armBarsFoot)
		}
		b.WriteString("\n" + strings.TrimSpace(a.text[i]) + "\n")
	}
	return b.String()
}

// instead are the counts with which a founding piece can be compared that cannot be
// measured here.
func (a *arm) instead(p speed.Piece) (c armCounts, ok bool) {
	switch {
	case a == nil:
		return c, false
	case strings.HasSuffix(p.Rows[0].After, "-ce"):
		c = a.counts[0]
	case strings.HasSuffix(p.Rows[0].After, "-arm"):
		c = a.counts[1]
	}
	return c, len(c.calls) > 0
}
