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
	if err := report(&b, time.Microsecond); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"- processor: ", "- commit: ", "github.com/emmansun/gmsm v", "## ctr(sm4), 128-bit key, encrypt\n", "| bytes | ucrypt |", "| 16384 |", "\n## 4. "} {
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
