package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"ucrypt"
)

// TestPipeline compares chunks worked in parallel with one call for the whole,
// for chunk sizes and lengths around each other.
func TestPipeline(t *testing.T) {
	key := randomBytes(16)
	for name, m := range modes {
		s, err := ucrypt.NewSkcipher(name+"(sm4)", key)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 1000, 1024, 4095, 4096} {
			for _, threads := range []int{1, 2, 5} {
				t.Run(fmt.Sprintf("%s/%d/%d", name, n, threads), func(t *testing.T) {
					plain := randomBytes(n)
					want := slices.Clone(plain)
					if m.pad {
						for range 16 - n%16 {
							want = append(want, byte(16-n%16))
						}
					}
					// The low half of the counter overflows early on.
					iv := bytes.Repeat([]byte{0xff}, s.Driver().IVSize)
					if len(iv) > 0 {
						iv[0], iv[15] = 1, 0xfd
					}
					if err := s.Encrypt(want, want, slices.Clone(iv)); err != nil {
						t.Fatal(err)
					}
					p := &pipeline{cipher: s, mode: m, pad: m.pad, iv: slices.Clone(iv), threads: threads, size: 64}
					secret := runPipeline(t, p, plain)
					if !bytes.Equal(secret, want) {
						t.Fatalf("ciphertext is %x, want %x", secret, want)
					}
					p = &pipeline{cipher: s, mode: m, decrypt: true, pad: m.pad, iv: slices.Clone(iv), threads: threads, size: 64}
					if got := runPipeline(t, p, secret); !bytes.Equal(got, plain) {
						t.Fatalf("plaintext is %x, want %x", got, plain)
					}
				})
			}
		}
	}
}

func runPipeline(t *testing.T, p *pipeline, in []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	moved := 0
	// A reader as pipes are: with less than is asked for.
	if err := p.run(&out, iotest.HalfReader(bytes.NewReader(in)), func(n int) { moved += n }); err != nil {
		t.Fatal(err)
	}
	if moved != out.Len() {
		t.Fatalf("progress counted %d bytes, want %d", moved, out.Len())
	}
	return out.Bytes()
}

// TestPipelineErrors sees errors of reads and writes at every place come out,
// after what was right before them and nothing else.
func TestPipelineErrors(t *testing.T) {
	s, err := ucrypt.NewSkcipher("ctr(sm4)", randomBytes(16))
	if err != nil {
		t.Fatal(err)
	}
	failure := errors.New("failure")
	for n := range 300 {
		run := func(in io.Reader, out io.Writer) error {
			p := &pipeline{cipher: s, mode: modes["ctr"], iv: make([]byte, 16), threads: 3, size: 64}
			return p.run(out, in, func(int) {})
		}
		var out bytes.Buffer
		in := io.MultiReader(bytes.NewReader(randomBytes(n)), iotest.ErrReader(failure))
		if err := run(in, &out); !errors.Is(err, failure) {
			t.Fatalf("read error after %d bytes: got %v", n, err)
		}
		if out.Len() > n {
			t.Fatalf("read error after %d bytes: %d were written", n, out.Len())
		}
		if err := run(bytes.NewReader(randomBytes(400)), &failingWriter{n, failure}); !errors.Is(err, failure) {
			t.Fatalf("write error after %d bytes: got %v", n, err)
		}
	}
}

// failingWriter takes n bytes.
type failingWriter struct {
	n   int
	err error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.n -= len(b); w.n < 0 {
		return 0, w.err
	}
	return len(b), nil
}

// TestWrongPadding sees every wrong padding refused, with nothing of the last
// chunk written.
func TestWrongPadding(t *testing.T) {
	s, err := ucrypt.NewSkcipher("ecb(sm4)", randomBytes(16))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{16, 64, 80, 128, 144} {
		for _, last := range []int{0, 1, 2, 8, 15, 16, 17, 32, 128, 255} {
			for broken := 1; broken <= 16; broken++ {
				data := randomBytes(n)
				right := last >= 1 && last <= 16
				for i := range 16 {
					data[n-1-i] = byte(last)
				}
				if broken > 1 {
					data[n-broken] ^= 0x80
					right = right && broken > last
				}
				plain := slices.Clone(data)
				if err := s.Encrypt(data, data, nil); err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				p := &pipeline{cipher: s, mode: modes["ecb"], decrypt: true, pad: true, threads: 1, size: 64}
				err := p.run(&out, bytes.NewReader(data), func(int) {})
				switch {
				case right && (err != nil || !bytes.Equal(out.Bytes(), plain[:n-last])):
					t.Fatalf("%d bytes, padding %d, byte %d from the end differs: %v", n, last, broken, err)
				case !right && (!errors.Is(err, errPadding) || !bytes.Equal(out.Bytes(), plain[:(n-1)/64*64])):
					t.Fatalf("%d bytes, padding %d, byte %d from the end differs: error %v, %d bytes written", n, last, broken, err, out.Len())
				}
			}
		}
	}
}
