package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"ucrypt"
	"ucrypt/bench/peers"
	"ucrypt/internal/speed"
)

// TestSameAnswers makes sure that what is compared does the same.
func TestSameAnswers(t *testing.T) {
	compared := 0
	for _, a := range algorithms {
		d, err := ucrypt.Lookup(a.name)
		if err != nil {
			t.Logf("%s: %v", a.name, err)
			continue
		}
		for _, bits := range a.keyBits {
			for _, decrypt := range []bool{false, true} {
				const n = 304 // at which no two variants of stealing agree by chance
				key, iv := pattern(bits/8), iv()
				var want []byte
				extra := 0
				switch d.Type {
				case ucrypt.TypeSkcipher:
					s, err := ucrypt.NewSkcipher(a.name, key)
					if err != nil {
						t.Fatal(err)
					}
					want = pattern(n)
					crypt := s.Encrypt
					if decrypt {
						crypt = s.Decrypt
					}
					if err := crypt(want, want, bytes.Clone(iv[:d.IVSize])); err != nil {
						t.Fatal(err)
					}
				case ucrypt.TypeAEAD:
					c, err := ucrypt.NewAEAD(a.name, key, 12, 16)
					if err != nil {
						t.Fatal(err)
					}
					want, extra = c.Seal(nil, iv[:12], pattern(n), peers.AssociatedData), 16
				case ucrypt.TypeShash:
					h, err := ucrypt.NewHash(a.name, nil)
					if err != nil {
						t.Fatal(err)
					}
					h.Write(pattern(n))
					want, extra = h.Sum(pattern(n)), 64
				}
				for _, l := range peers.Libraries() {
					buf := pattern(n + extra)
					w, err := l.Open(peers.Task{Algorithm: a.name, Decrypt: decrypt, Key: key, IV: bytes.Clone(iv)}, buf)
					if err == nil && w != nil {
						compared++
						err = w(1)
					}
					if err != nil {
						t.Errorf("%s of %s: %v", a.name, l.Name, err)
					} else if w != nil && !bytes.Equal(buf[:len(want)], want) {
						t.Errorf("%s, decrypt %v: %s differs from %s", a.name, decrypt, l.Name, d.DriverName)
					}
				}
			}
		}
	}
	if compared < 15 {
		t.Errorf("only %d comparisons", compared)
	}
}

// TestReport writes the whole file with figures that mean nothing.
func TestReport(t *testing.T) {
	var b bytes.Buffer
	a := &arm{}
	for i, text := range armSample {
		a.text[i], a.counts[i] = text, parseArm(text)
	}
	if err := report(&b, time.Microsecond, a); err != nil {
		t.Fatal(err)
	}
	b.WriteString(a.section())
	for _, want := range []string{"- processor: ", "- commit: ", "github.com/emmansun/gmsm v", "## ctr(sm4), 128-bit key, encrypt\n", "| bytes | ucrypt |", "| 16384 |", "\n## 4. ", "| their gain |",
		"\n## arm64\n\n    go run ./internal/icount -table arm64 -drivers 'sm4-(ce|", "| cbc-sm4-ce encrypt | 4 KiB, a byte | 1.6 | **2.00** |",
		"| the same, cycles of Neoverse N1, loops only |  | 2.5 x | **1.48 x**; not counted |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	for _, p := range speed.Pieces() {
		if !strings.Contains(b.String(), p.Title) {
			t.Errorf("no %s", p.Title)
		}
	}
	if testing.Verbose() {
		t.Log(b.String())
	}
}

// armSample is what icount prints, shortened.
var armSample = [3]string{`Instructions of a whole call, and by the byte.

| driver | key | | 16 | 1420/1424 | 4096 |
|---|---|---|---|---|---|
| ` + "`cbc-sm4-ce`" + ` | 128 | encrypt | 949 (59.31) | 57797 (40.59) | 8192 (2.00) |

Cycles by the byte of the inner loops, by llvm-mca's models.

| loop | instructions | neoverse-n1 | cortex-a53 |
|---|---|---|---|
| sm4-generic, 2 blocks | 38.00 | 12.01 | 61.50 |
| sm4-neon, 16 blocks | 8.44 | 8.13 | 12.53 |
`, `
| driver | key | | 32 | 100 |
|---|---|---|---|---|
| ` + "`blake2s-256-generic`" + ` |  | digest | 3465 (108.29) | 6400 (64.00) |
| ` + "`blake2s-256-arm`" + ` |  | digest | 1757 (54.91) | 2972 (29.72) |
`, "Not run here: qemu-arm is not installed (Debian: qemu-user)\n"}

func TestParseArm(t *testing.T) {
	c := parseArm(armSample[0])
	if n := c.call("cbc-sm4-ce", 128, "encrypt", 1420); n != 57797 || len(c.calls) != 3 || c.cycles["sm4-neon, 16 blocks"] != 8.13 {
		t.Errorf("%v, %+v", n, c)
	}
	c = parseArm(armSample[1])
	if a, b := c.call("blake2s-256-generic", 0, "digest", 100), c.call("blake2s-256-arm", 0, "digest", 100); a != 6400 || b != 2972 {
		t.Errorf("%v and %v", a, b)
	}
}
