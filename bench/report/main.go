// Command report writes BENCHMARKS.md: ucrypt and its peers side by side, and the
// founding pieces beside what their authors measured.
//
//	cd bench && go run ./report [--time 30ms] [-o ../BENCHMARKS.md]
//	cd bench && go run -tags clibs ./report     # also Debian's openssl and libgcrypt
//
// All sides of a row work in turns, in one process and on one thread.
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
	flag.Parse()
	var text bytes.Buffer
	err := report(&text, *each)
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

func report(w io.Writer, each time.Duration) error {
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
	fmt.Fprint(w, "\n# The founding pieces\n\nThe speed here, and the gain beside the one that the authors of the kernel work measured.\n")
	plans, err := speed.Registry.Founding()
	if err != nil {
		return err
	}
	for _, p := range plans {
		text, err := foundingText(p, each)
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

// foundingText measures a founding piece, or says why it cannot be measured.
func foundingText(p speed.PiecePlan, each time.Duration) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %d. %s\n\nTheirs: %s.\n\n", p.Number, p.Title, p.Authors)
	if p.Reason != "" {
		fmt.Fprintf(&b, "Not measured here: %s. Their gain:\n\n", p.Reason)
	}
	b.WriteString("| | |")
	for _, n := range p.Lengths {
		fmt.Fprintf(&b, " %d |", n)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---:|", len(p.Lengths)) + "\n")
	line := func(label, what string, cell func(i int) string) {
		fmt.Fprintf(&b, "| %s | %s |", label, what)
		for i := range p.Lengths {
			b.WriteString(" " + cell(i) + " |")
		}
		b.WriteByte('\n')
	}
	label := func(row speed.PieceRow) string {
		s := row.Algorithm + " " + row.Op.String()
		if row.KeyBits > 0 {
			s += fmt.Sprintf(" %d", row.KeyBits)
		}
		return s
	}
	if p.Reason != "" {
		for _, row := range p.Rows {
			line(label(row), "their gain", func(i int) string { return fmt.Sprintf("%.2f", p.TheirRatio(row, i)) })
		}
		return b.String(), nil
	}
	for _, g := range p.Groups {
		x := speed.Index{}
		for _, c := range g.Cells {
			results, err := speed.Registry.Measure(c, speed.Options{Time: each})
			if err != nil {
				return "", err
			}
			x.Add(results...)
		}
		key := func(driver string, i int) speed.Key {
			return speed.Key{Driver: driver, Op: g.Op, KeyBits: g.KeyBits, Asked: p.Lengths[i]}
		}
		drivers := []string{g.Before, g.After}
		if !slices.Contains(drivers, g.Best) {
			drivers = append(drivers, g.Best)
		}
		for _, d := range drivers {
			line(label(g.PieceRow), d, func(i int) string {
				r := x[key(d, i)]
				return figure(r.MBPerSecond()) + mark(r.Unreliable)
			})
		}
		line("", "gain (theirs)", func(i int) string {
			ratio, bad := x.Ratio(key(g.After, i), g.Before)
			return fmt.Sprintf("%.2f%s (%.2f)", ratio, mark(bad), p.TheirRatio(g.PieceRow, i))
		})
	}
	return b.String(), nil
}
