// Command report writes BENCHMARKS.md: ucrypt and its peers side by side, the
// founding pieces beside what their authors measured, what the other commands print
// of drivers and their bars, and instruction counts for Arm.
//
//	cd bench && go run ./report [--time 30ms] [-o ../BENCHMARKS.md]
//	cd bench && go run -tags clibs ./report     # also Debian's openssl and libgcrypt
//
// All sides of a row work in turns, in one process and on one thread. It takes
// some minutes; --bars=false and --arm=false leave the last sections out.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ucrypt"
	"ucrypt/bench/peers"
	"ucrypt/internal/speed"
)

func main() {
	file := flag.String("o", "../BENCHMARKS.md", "file to write; - is standard output")
	each := flag.Duration("time", 30*time.Millisecond, "time for each figure")
	bars := flag.Bool("bars", true, "also what the commands print that have bars")
	emulated := flag.Bool("arm", true, "also instruction counts for Arm, where qemu-user and gcc are here")
	flag.Parse()
	var counts *arm
	if *emulated {
		counts = countArm()
	}
	var text bytes.Buffer
	err := report(&text, *each, counts)
	if err == nil && *bars {
		text.WriteString(barsSection())
	}
	if err == nil && *emulated {
		text.WriteString(counts.section())
	}
	switch {
	case err != nil:
	case *file == "-":
		_, err = os.Stdout.Write(text.Bytes())
	default:
		err = os.WriteFile(*file, text.Bytes(), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// algorithms are what peers have too.
var algorithms = []struct {
	name    string
	keyBits []int
}{
	{"ecb(sm4)", []int{128}}, {"cbc(sm4)", []int{128}}, {"cfb(sm4)", []int{128}}, {"ctr(sm4)", []int{128}}, {"xts(sm4)", []int{256}},
	{"gcm(sm4)", []int{128}}, {"ccm(sm4)", []int{128}},
	{"ecb(aes)", []int{128}}, {"cbc(aes)", []int{128, 256}}, {"cts(cbc(aes))", []int{128, 256}}, {"xts(aes)", []int{256, 512}}, {"gcm(aes)", []int{128, 256}},
	{"blake2s-256", []int{0}},
}

var lengths = []int{16, 64, 256, 1024, 4096, 16384}

// report writes all but the last sections.
func report(w io.Writer, each time.Duration, counts *arm) error {
	fmt.Fprint(w, head(speed.ThisMachine(), commit(), versions()))
	for _, a := range algorithms {
		for _, bits := range a.keyBits {
			for _, op := range []speed.Op{speed.Encrypt, speed.Decrypt} {
				t, err := newTable(a.name, bits, op)
				if err != nil {
					return err
				}
				if t == nil {
					continue
				}
				if err := t.measure(each); err != nil {
					return fmt.Errorf("%s: %w", a.name, err)
				}
				fmt.Fprint(w, t.text())
			}
		}
	}
	fmt.Fprint(w, foundingHead)
	plans, err := speed.Registry.Founding()
	if err != nil {
		return err
	}
	for _, p := range plans {
		text, err := foundingText(p, each, counts)
		if err != nil {
			return err
		}
		fmt.Fprint(w, text)
	}
	return nil
}

// head is what the figures depend on.
func head(m speed.Machine, commit string, versions []string) string {
	s := `# Benchmarks

Written by ` + "`cd bench && go run -tags clibs ./report`" + ` (without the tag: without the C libraries). Speeds are
megabytes (10^6 bytes) a second, medians of samples in turns, one process, one thread, messages in place. A
ratio is ucrypt's driver over the fastest of the others; ? marks samples that differ by 10 % or more. What a
library's user must do for each message, such as a new mode for an iv, is part of its figure. AEADs
authenticate 8 more bytes.

`
	s += fmt.Sprintf("- processor: %s, %s\n- commit: %s\n- versions: %s\n", m.Processor, m.System, commit, strings.Join(versions, "; "))
	if m.Emulated != "" {
		s += "- emulated (" + m.Emulated + "): these times mean nothing\n"
	}
	return s
}

// commit is the one that git has here, with a word if files differ from it.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	c := strings.TrimSpace(string(out))
	if exec.Command("git", "diff", "--quiet", "HEAD").Run() != nil {
		c += ", with changes"
	}
	return c
}

func versions() []string {
	v := []string{speed.ThisMachine().Go}
	info, _ := debug.ReadBuildInfo()
	for _, l := range peers.Libraries() {
		if l.Version != nil {
			v = append(v, l.Version())
		}
		for _, m := range info.Deps {
			if l.Module == m.Path {
				v = append(v, m.Path+" "+m.Version)
			}
		}
	}
	return v
}

// table is one algorithm, key size and direction.
type table struct {
	algorithm string
	keyBits   int
	op        speed.Op
	driver    ucrypt.Driver
	columns   []string // ucrypt's first
	open      []func(bytes int) (speed.Work, error)
	rows      [][]speed.Stats // by length, then as columns
}

// newTable finds who takes part; nil if no peer does.
func newTable(algorithm string, keyBits int, op speed.Op) (*table, error) {
	d, err := ucrypt.Lookup(algorithm)
	if err != nil {
		return nil, nil // not part of this version
	}
	if d.Type == ucrypt.TypeShash {
		if op == speed.Decrypt {
			return nil, nil
		}
		op = speed.Digest
	}
	if d.Type == ucrypt.TypeAEAD && op == speed.Decrypt {
		return nil, nil // peers have encryption only
	}
	t := &table{algorithm: algorithm, keyBits: keyBits, op: op, driver: d, columns: []string{"ucrypt"}}
	t.open = append(t.open, func(n int) (speed.Work, error) { return speed.Registry.Open(d, op, keyBits, n) })
	for _, l := range peers.Libraries() {
		open := func(n int) (speed.Work, error) { return openPeer(l, algorithm, keyBits, op, d, n) }
		switch w, err := open(64); {
		case err != nil:
			return nil, fmt.Errorf("%s of %s: %w", algorithm, l.Name, err)
		case w != nil:
			t.columns, t.open = append(t.columns, l.Name), append(t.open, open)
		}
	}
	if len(t.columns) == 1 {
		return nil, nil
	}
	return t, nil
}

// openPeer gives a library a message with room for what comes behind it.
func openPeer(l peers.Library, algorithm string, keyBits int, op speed.Op, d ucrypt.Driver, n int) (speed.Work, error) {
	switch d.Type {
	case ucrypt.TypeAEAD:
		n += 16
	case ucrypt.TypeShash:
		n += 64
	}
	w, err := l.Open(peers.Task{Algorithm: algorithm, Decrypt: op == speed.Decrypt, Key: pattern(keyBits / 8), IV: iv()}, pattern(n))
	if w == nil {
		return nil, err
	}
	return w, err
}

// iv is one that is the number of a sector as well, all that some peers take.
func iv() []byte { return append(pattern(8), make([]byte, 8)...) }

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + 1)
	}
	return b
}

func (t *table) measure(each time.Duration) error {
	for _, n := range lengths {
		var works []speed.Work
		for i, open := range t.open {
			w, err := open(n)
			if err != nil {
				return fmt.Errorf("%s, %d bytes: %w", t.columns[i], n, err)
			}
			works = append(works, w)
		}
		stats, err := speed.Measure(works, speed.Options{Time: each})
		if err != nil {
			return err
		}
		t.rows = append(t.rows, stats)
	}
	return nil
}

func (t *table) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s", t.algorithm)
	if t.keyBits > 0 {
		fmt.Fprintf(&b, ", %d-bit key", t.keyBits)
	}
	fmt.Fprintf(&b, ", %s\n\nucrypt: %s\n\n| bytes |", t.op, t.driver.DriverName)
	for _, c := range t.columns {
		b.WriteString(" " + c + " |")
	}
	b.WriteString(" ratio |\n|" + strings.Repeat("---:|", len(t.columns)+2) + "\n")
	for i, stats := range t.rows {
		fmt.Fprintf(&b, "| %d |", lengths[i])
		best := 0.0
		unreliable := stats[0].Unreliable
		for j, s := range stats {
			mb := float64(lengths[i]) / s.Seconds / 1e6
			if j > 0 && mb > best {
				best = mb
			}
			unreliable = unreliable || s.Unreliable
			fmt.Fprintf(&b, " %s%s |", figure(mb), mark(s.Unreliable))
		}
		fmt.Fprintf(&b, " %.2f%s |\n", float64(lengths[i])/stats[0].Seconds/1e6/best, mark(unreliable))
	}
	return b.String()
}

func mark(unreliable bool) string {
	if unreliable {
		return "?"
	}
	return ""
}

func figure(mb float64) string {
	if mb >= 1000 {
		return fmt.Sprintf("%.0f", mb)
	}
	return fmt.Sprintf("%.1f", mb)
}

const foundingHead = `
# The founding pieces

The speed here, beside the figures that the authors of the kernel work measured on theirs. The gain is that of the
authors' driver over the one before it.
`

// foundingText measures a founding piece, or says why it cannot be measured.
func foundingText(p speed.PiecePlan, each time.Duration, counts *arm) (string, error) {
	t := foundingTable{piece: p.Piece}
	fmt.Fprintf(&t, "\n## %d. %s\n\nTheirs: %s, %s.\n\n", p.Number, p.Title, p.Authors, p.Unit)
	if p.Reason != "" {
		fmt.Fprintf(&t, "Not measured here: %s.", p.Reason)
		c, ok := counts.instead(p.Piece)
		if ok {
			fmt.Fprint(&t, " Instead: instructions of a whole call, under emulation.")
		}
		t.head()
		for _, row := range p.Rows {
			if ok {
				t.instructions(row, c)
			}
			t.theirs(row, "")
		}
		return t.String(), nil
	}
	fmt.Fprint(&t, "Here: MB/s.")
	t.head()
	for _, g := range p.Groups {
		x := speed.Index{}
		for _, c := range g.Cells {
			results, err := speed.Registry.Measure(c, speed.Options{Time: each})
			if err != nil {
				return "", err
			}
			x.Add(results...)
		}
		t.ours(g, x)
		t.theirs(g.PieceRow, "theirs: ")
	}
	return t.String(), nil
}

// foundingTable is the text of a piece.
type foundingTable struct {
	strings.Builder
	piece speed.Piece
}

func (t *foundingTable) head() {
	t.WriteString("\n\n| | |")
	for _, n := range t.piece.Lengths {
		fmt.Fprintf(t, " %d |", n)
	}
	t.WriteString("\n|---|---|" + strings.Repeat("---:|", len(t.piece.Lengths)) + "\n")
}

func (t *foundingTable) line(label, what string, cell func(i int) string) {
	fmt.Fprintf(t, "| %s | %s |", label, what)
	for i := range t.piece.Lengths {
		t.WriteString(" " + cell(i) + " |")
	}
	t.WriteByte('\n')
}

func labelOf(row speed.PieceRow) string {
	s := row.Algorithm + " " + row.Op.String()
	if row.KeyBits > 0 {
		s += fmt.Sprintf(" %d", row.KeyBits)
	}
	return s
}

// ours are the figures of a row here.
func (t *foundingTable) ours(g speed.Group, x speed.Index) {
	key := func(driver string, i int) speed.Key {
		return speed.Key{Driver: driver, Op: g.Op, KeyBits: g.KeyBits, Asked: t.piece.Lengths[i]}
	}
	drivers := []string{g.Before, g.After}
	if !slices.Contains(drivers, g.Best) {
		drivers = append(drivers, g.Best)
	}
	for _, d := range drivers {
		t.line(labelOf(g.PieceRow), d, func(i int) string {
			r := x[key(d, i)]
			return figure(r.MBPerSecond()) + mark(r.Unreliable)
		})
	}
	t.line("", "gain", func(i int) string {
		ratio, bad := x.Ratio(key(g.After, i), g.Before)
		return fmt.Sprintf("%.2f%s", ratio, mark(bad))
	})
}

// theirs are the authors' figures of a row.
func (t *foundingTable) theirs(row speed.PieceRow, prefix string) {
	label := ""
	if prefix == "" {
		label = labelOf(row)
	}
	t.line(label, prefix+row.Before, func(i int) string { return fmt.Sprint(row.TheirBefore[i]) })
	t.line(label, prefix+row.After, func(i int) string { return fmt.Sprint(row.TheirAfter[i]) })
	t.line("", "their gain", func(i int) string { return fmt.Sprintf("%.2f", t.piece.TheirRatio(row, i)) })
}

// instructions are a row's counts under emulation.
func (t *foundingTable) instructions(row speed.PieceRow, c armCounts) {
	count := func(driver string, i int) float64 {
		return c.call(driver, row.KeyBits, row.Op.String(), t.piece.Lengths[i])
	}
	for _, d := range []string{row.Before, row.After} {
		t.line(labelOf(row), "instructions: "+d, func(i int) string { return fmt.Sprintf("%.0f", count(d, i)) })
	}
	t.line("", "times fewer", func(i int) string { return fmt.Sprintf("%.2f", count(row.Before, i)/count(row.After, i)) })
}

// barsSection is what the commands print that judge drivers against bars.
func barsSection() string {
	var b strings.Builder
	b.WriteString("\n# Drivers against their bars\n")
	for _, c := range []struct{ title, command string }{
		{"Tiers of SM4 against gmsm's two builds", "./compare"},
		{"The best drivers of SM4 against gmsm's assembly, and fused ones against templates", "./sm4"},
		{"AEADs and CMAC of SM4 against gmsm, and against templates", "./aead"},
		{"AES drivers against Go's, and stealing and sectors against what is without", "./aes"},
		{"BLAKE2s against golang.org/x/crypto, and many messages against one", "./blake2s"},
		{"WireGuard handshakes: wireguard-go with either BLAKE2s", "./wireguard"},
	} {
		cmd := exec.Command("go", "run", c.command)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		text := "```\n" + strings.TrimSpace(string(out)) + "\n```"
		if err != nil {
			text = fmt.Sprintf("Not run here: %v: %s", err, strings.TrimSpace(errs.String()))
		}
		fmt.Fprintf(&b, "\n## %s\n\n    cd bench && go run %s\n\n%s\n", c.title, c.command, text)
	}
	return b.String()
}
